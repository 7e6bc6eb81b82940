"""vectors/headers.json: the schema and the page describe it, and the runner's judge gives its verdicts."""

from __future__ import annotations

import copy
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ROOT = Path(__file__).resolve().parents[3]
RUNNERS = ROOT / "vectors" / "runners"
FILE = json.loads((ROOT / "vectors" / "headers.json").read_text())
SCHEMA = json.loads((ROOT / "vectors" / "headers.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

Object = dict[str, Any]


def test_schema() -> None:
    VALIDATOR.check_schema(SCHEMA)
    VALIDATOR.validate(FILE)
    tests = [test for group in FILE["testGroups"] for test in group["tests"]]
    assert [test["tcId"] for test in tests] == list(range(1, FILE["numberOfTests"] + 1))
    assert list(FILE["rules"]) == SCHEMA["$defs"]["rule"]["enum"]
    assert list(FILE["roundings"]) == SCHEMA["$defs"]["rounding"]["enum"]
    assert {test["stake"] for test in tests if "header" in test} == set(FILE["stakes"])


FAULTS: dict[str, tuple[str, Callable[[Object], object]]] = {
    "unknown rule": ("headers", lambda group: group["tests"][-1].update(broken="unknown")),
    "valid with a rule": ("headers", lambda group: group["tests"][0].update(broken="era")),
    "invalid without a rule": ("headers", lambda group: group["tests"][-1].pop("broken")),
    "half a byte": ("headers", lambda group: group["tests"][0].update(header="0")),
    "edge without a value": ("headers", lambda group: group["tests"][0].pop("leaderValue")),
    "no nonce": ("headers", lambda group: group.pop("nonce")),
    "stake as a number": ("thresholds", lambda group: group["tests"][0].update(stake=1)),
    "value of 33 bytes": ("thresholds", lambda group: group["tests"][0].update(value="00" * 33)),
    "unknown rounding": ("thresholds", lambda group: group["tests"][0].update(rounding="up")),
    "no delegate": ("overlay", lambda group: group["tests"][0].pop("delegate")),
    "unknown turn": ("overlay", lambda group: group["tests"][0].update(turn="none")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_schema_finds(name: str) -> None:
    kind, fault = FAULTS[name]
    file = copy.deepcopy(FILE)
    fault(next(group for group in file["testGroups"] if group["type"] == kind))
    assert not VALIDATOR.is_valid(file)


MEMBERS = {
    "the file": SCHEMA,
    "a stake": SCHEMA["$defs"]["stake"],
    "a group of headers": SCHEMA["$defs"]["headers"],
    "a test of a header": SCHEMA["$defs"]["headerTest"],
    "a group of thresholds": SCHEMA["$defs"]["thresholds"],
    "a test of a threshold": SCHEMA["$defs"]["thresholdTest"],
    "a group of the overlay": SCHEMA["$defs"]["overlay"],
    "a test of the overlay": SCHEMA["$defs"]["overlayTest"],
}


@pytest.mark.parametrize("of", MEMBERS)
def test_page_has_all_members(of: str) -> None:
    page = (ROOT / "docs" / "header-vectors.md").read_text()
    table = page.split(f"| member of {of} |")[1].split("\n\n")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    assert rows == list(MEMBERS[of]["properties"])


def run_runner(file: Path) -> tuple[int, str]:
    command = [sys.executable, str(RUNNERS / "headers.py"), str(file)]
    ended = subprocess.run(command, capture_output=True, check=False, text=True)
    return ended.returncode, ended.stdout.splitlines()[-1]


def test_runner(tmp_path: Path) -> None:
    assert run_runner(ROOT / "vectors" / "headers.json") == (0, "529 tests, 0 wrong")
    wrong = tmp_path / "wrong.json"
    text = (ROOT / "vectors" / "headers.json").read_text()
    for right, other in [('"valid"', '"invalid"'), ('"lottery"', '"reserved"'), ("true", "false")]:
        text = text.replace(right, other)
    wrong.write_text(text)
    assert run_runner(wrong) == (1, "529 tests, 215 wrong")


@pytest.fixture(scope="module")
def judge() -> Any:
    specification = importlib.util.spec_from_file_location("judge", RUNNERS / "headers_judge.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def headers() -> list[tuple[Object, Object]]:
    groups = [group for group in FILE["testGroups"] if group["type"] == "headers"]
    return [
        ({**group, "stake": FILE["stakes"][test["stake"]]}, test)
        for group in groups
        for test in group["tests"]
    ]


def test_a_header_breaks_no_rule_but_the_one_that_is_named(judge: Any) -> None:
    # So a judge without this rule accepts the header.
    for context, test in headers():
        named = [test["broken"]] if "broken" in test else []
        assert list(judge.broken_rules(context, test)) == named, test["tcId"]


def test_every_rule_has_a_header() -> None:
    assert {test["broken"] for _, test in headers() if "broken" in test} == set(FILE["rules"])


def test_last_leading_values(judge: Any) -> None:
    for context, test in headers():
        if "lastLeading" not in test:
            continue
        header = judge.Header(bytes.fromhex(test["header"]), praos=test["tag"] >= 6)
        issuer = judge.hash224(header.cold_key).hex()
        pools, total = context["stake"]["pools"], int(context["stake"]["total"])
        (stake,) = (int(pool["stake"]) for pool in pools if pool["pool"] == issuer)
        last = bytes.fromhex(test["lastLeading"])
        assert judge.leads(context["f"], stake, total, last), test["tcId"]
        if last != b"\xff" * len(last):
            above = (int.from_bytes(last, "big") + 1).to_bytes(len(last), "big")
            assert not judge.leads(context["f"], stake, total, above), test["tcId"]


def test_small_orders_are_refused(judge: Any) -> None:
    # A point of order 8 has x^2 = -y^2: its double has order 4, where y = 0.
    y, p = judge.EIGHTH, 2**255 - 19
    assert (2 * y**2 - 1 - 121665 * pow(121666, -1, p) * y**4) % p == 0
    # For a key of order 1, R = 1 and s = 0 are a signature of every message.
    one = bytes([1]) + bytes(31)
    Ed25519PublicKey.from_public_bytes(one).verify(one + bytes(32), b"message")
    assert not judge.ed25519(one, b"message", one + bytes(32))
