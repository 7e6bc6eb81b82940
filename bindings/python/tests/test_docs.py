"""Every example of the pages and docstrings is a test."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest
from conftest import NEWEST, ROOT

import klero
from klero import token

#: The part of docs/python.md that needs the newest packages begins with this line.
FRAMES = "## Data frames\n"


def page(name: str) -> str:
    return (ROOT / name).read_text()


PAGES = [
    pytest.param(page("bindings/python/README.md"), id="README"),
    pytest.param(page("docs/python.md").partition(FRAMES)[0], id="python"),
    pytest.param(page("docs/python.md").partition(FRAMES)[2], id="data frames", marks=NEWEST),
]
FLAGS = doctest.ELLIPSIS


def check(name: str, examples: str) -> None:
    test = doctest.DocTestParser().get_doctest(examples, {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    output: list[str] = []
    results = runner.run(test, out=output.append)
    assert results.attempted > 0, f"{name} has no example"
    assert results.failed == 0, "".join(output)


@pytest.mark.parametrize("text", PAGES)
def test_page(text: str, chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").symlink_to(chain)
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    kinds = {kind for kind, _ in blocks}
    # Commands are run by the build server, which takes them from the page.
    assert kinds <= {"pycon", "sh"}, kinds
    check("page", "\n".join(block for kind, block in blocks if kind == "pycon"))


def documented() -> dict[str, str]:
    """The docstrings with examples, by name."""
    found = {}
    for module in (klero, token):
        for name in module.__all__:
            text = inspect.getdoc(getattr(module, name)) or ""
            assert text, f"{module.__name__}.{name} is not documented"
            if ">>>" in text:
                found[f"{module.__name__}.{name}"] = text
            members = vars(getattr(module, name)) if inspect.isclass(getattr(module, name)) else {}
            for member, value in members.items():
                text = getattr(value, "__doc__", None) or ""
                if not member.startswith("_"):
                    assert text, f"{module.__name__}.{name}.{member} is not documented"
                if isinstance(text, str) and ">>>" in text:
                    found[f"{module.__name__}.{name}.{member}"] = inspect.cleandoc(text)
    return found


@pytest.mark.parametrize("name", sorted(documented()))
def test_docstring(
    name: str, chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db").symlink_to(chain)
    check(name, documented()[name])
