"""Runs the tests of headers.json on a validator: put yours into `validate`, `leads` and `turn`.

    python3 headers.py ../headers.json [TYPE...]

Prints the tests whose verdict is wrong, and exits with 1 if there are any. TYPE is a type of groups:
headers, thresholds or overlay.
"""

import json
import sys

import headers_judge


def validate(context, test):
    """The rule that the header of this test breaks, or None. A rule of the file is compared with the
    one that is broken; any other name only says that the header is invalid. `context` has the members
    of the group, and the stake that decides. Here: a plain judge."""
    return headers_judge.validate(context, test)


def leads(f, stake, total, value):
    """Whether a pool with this stake leads with this value. `f` is a text such as 1/20."""
    return headers_judge.leads(f, stake, total, value)


def turn(d, f, delegates, slot):
    """Whose the slot is: ("lottery", None), ("reserved", None), or ("delegate", which one)."""
    return headers_judge.turn(d, f, delegates, slot)


def is_right(test, group, file):
    if group["type"] == "thresholds":
        value = bytes.fromhex(test["value"])
        return leads(group["f"], int(test["stake"]), int(test["total"]), value) == test["leads"]
    if group["type"] == "overlay":
        expected = test["turn"], test.get("delegate")
        return turn(group["d"], group["f"], group["delegates"], test["slot"]) == expected
    broken = validate({**group, "stake": file["stakes"][test["stake"]]}, test)
    if broken in file["rules"]:
        return broken == test.get("broken")
    return (broken is None) == (test["result"] == "valid")


path, types = sys.argv[1], sys.argv[2:]
ran = wrong = 0
with open(path) as opened:
    file = json.load(opened)
for group in file["testGroups"]:
    if types and group["type"] not in types:
        continue
    for test in group["tests"]:
        ran += 1
        if not is_right(test, group, file):
            wrong += 1
            verdict = [test[name] for name in ("result", "broken", "leads", "turn", "delegate") if name in test]
            print(group["type"], test["tcId"], "is", *verdict, test.get("comment", ""))
print(f"{ran} tests, {wrong} wrong")
sys.exit(1 if wrong or not ran else 0)
