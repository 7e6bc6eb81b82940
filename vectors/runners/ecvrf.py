"""Runs the tests of ecvrf.json on a verifier: put yours into `verify`.

    python3 ecvrf.py ../ecvrf.json [SUITE...]

Prints the tests whose verdict is wrong, and exits with 1 if there are any.
"""

import json
import sys

import klero


def verify(suite, key, alpha, proof):
    """The output of 64 bytes if the proof is valid, else None. Here: Klero's."""
    try:
        return klero.verify(key, alpha, proof, suite=suite)
    except klero.InvalidProof:
        return None


path, suites = sys.argv[1], sys.argv[2:]
ran = wrong = 0
with open(path) as file:
    groups = json.load(file)["testGroups"]
for group in groups:
    if suites and group["suite"] not in suites:
        continue
    for test in group["tests"]:
        key, alpha, proof = (bytes.fromhex(test[name]) for name in ("pk", "alpha", "pi"))
        output = verify(group["suite"], key, alpha, proof)
        accepted = output is not None and output.hex() == test.get("beta", output.hex())
        ran += 1
        if test["result"] not in ("acceptable", "valid" if accepted else "invalid"):
            wrong += 1
            print(group["suite"], test["tcId"], "is", test["result"], test["flags"], test["comment"])
print(f"{ran} tests, {wrong} wrong")
sys.exit(1 if wrong or not ran else 0)
