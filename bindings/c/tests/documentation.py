"""Holds pages of documentation to what is true: documentation.py DIRECTORY PAGE...

A block of code after a comment `<!-- FILE -->` is that file, word for word; after
`<!-- in FILE -->`, a part of it. A block of `sh` is run in DIRECTORY, which holds copies of the
examples; what it prints is the block of `text` after it, if one follows at once. `bash` is run by
.ci/bindings. Nothing else is allowed, but for settings and commands of cabal, which is not
here.
"""

import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).parent.parent
BLOCK = re.compile(r"(?:<!-- (?P<part>in )?(?P<file>\S+) -->\n)?```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
NOT_RUN = {"bash", "cabal"}


def fail(page, block, message):
    line = page.read_text()[: block.start()].count("\n") + 1
    sys.exit(f"{page}:{line}: {message}")


def check(page, directory):
    counts = {"files": 0, "run": 0}
    printed = None
    end = 0
    text = page.read_text()
    for block in BLOCK.finditer(text):
        follows = text[end : block.start()].strip() == ""
        end = block.end()
        language, code = block["language"], block["code"]
        if block["file"]:
            source = (root / block["file"]).read_text()
            if code not in source or (code != source and not block["part"]):
                fail(page, block, f"is not {block['file']}")
            counts["files"] += 1
            printed = None
        elif language == "sh":
            command = ["bash", "-euo", "pipefail", "-c", code]
            result = subprocess.run(command, cwd=directory, capture_output=True, text=True)
            if result.returncode != 0:
                fail(page, block, f"fails: {result.stderr}{result.stdout}")
            printed = result.stdout
            counts["run"] += 1
        elif language == "text" and follows and printed is not None:
            if code != printed:
                fail(page, block, f"prints otherwise:\n{printed}")
        elif language not in NOT_RUN:
            fail(page, block, f"a block of {language or 'nothing'} that is neither a file nor run")
    if not any(counts.values()):
        sys.exit(f"{page}: no block is a file or run")
    print(f"{page.name}: {counts['files']} files, {counts['run']} commands: ok")


directory = pathlib.Path(sys.argv[1])
shutil.copytree(root / "examples", directory)
for page in sys.argv[2:]:
    check(pathlib.Path(page), directory)
