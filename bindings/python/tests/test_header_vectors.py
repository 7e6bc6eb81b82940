"""vectors/headers.json: the schema and the page describe it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[3]
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


def test_page_names_all_members() -> None:
    page = (ROOT / "docs" / "header-vectors.md").read_text()
    objects = [SCHEMA, *SCHEMA["$defs"].values()]
    members = {name for of in objects for name in of.get("properties", {})}
    assert len(members) > 40
    assert [name for name in sorted(members) if not re.search(rf"\b{name}\b", page)] == []


def test_every_rule_has_a_header() -> None:
    groups = [group for group in FILE["testGroups"] if group["type"] == "headers"]
    tests = [test for group in groups for test in group["tests"]]
    assert {test["broken"] for test in tests if "broken" in test} == set(FILE["rules"])
