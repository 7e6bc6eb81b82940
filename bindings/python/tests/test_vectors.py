"""vectors/ecvrf.json: the schema describes it, and the package gives its verdicts."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import klero

VECTORS = Path(__file__).resolve().parents[3] / "vectors"
FILE = json.loads((VECTORS / "ecvrf.json").read_text())
SCHEMA = json.loads((VECTORS / "ecvrf.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

Test = dict[str, Any]


def claims() -> list[tuple[str, Test]]:
    return [(group["suite"], test) for group in FILE["testGroups"] for test in group["tests"]]


def test_schema() -> None:
    VALIDATOR.check_schema(SCHEMA)
    VALIDATOR.validate(FILE)
    assert [test["tcId"] for _, test in claims()] == list(range(1, FILE["numberOfTests"] + 1))
    assert set(FILE["notes"]) == set(SCHEMA["$defs"]["flag"]["enum"])


FAULTS: dict[str, tuple[str, Callable[[Test], object]]] = {
    "flag without a note": ("invalid", lambda test: test["flags"].append("Unknown")),
    "no flag": ("invalid", lambda test: test["flags"].clear()),
    "unknown member": ("valid", lambda test: test.update(valid=True)),
    "unknown result": ("valid", lambda test: test.update(result="maybe")),
    "no proof": ("valid", lambda test: test.pop("pi")),
    "half a byte": ("valid", lambda test: test.update(alpha="0")),
    "capital digits": ("valid", lambda test: test.update(alpha="AA")),
    "short key": ("valid", lambda test: test.update(pk=test["pk"][2:])),
    "valid without an output": ("valid", lambda test: test.pop("beta")),
    "short output": ("valid", lambda test: test.update(beta="00")),
    "acceptable without a rule": ("acceptable", lambda test: test.pop("acceptedBy")),
    "invalid with a rule": ("invalid", lambda test: test.update(acceptedBy="key-not-validated")),
    "invalid with a seed": ("invalid", lambda test: test.update(sk="00" * 32)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_schema_finds(name: str) -> None:
    result, fault = FAULTS[name]
    file = copy.deepcopy(FILE)
    group = next(group for group in file["testGroups"] if group["suite"] == "rfc9381-ell2")
    fault(next(test for test in group["tests"] if test["result"] == result))
    assert not VALIDATOR.is_valid(file)


def test_verdicts() -> None:
    for suite, test in claims():
        key, alpha, proof = (bytes.fromhex(test[name]) for name in ("pk", "alpha", "pi"))
        output = bytes.fromhex(test["beta"]) if "beta" in test else None
        if test["result"] == "valid":
            assert klero.verify(key, alpha, proof, suite=suite, output=output) == output
        else:
            with pytest.raises(klero.InvalidProof):
                klero.verify(key, alpha, proof, suite=suite, output=output)


def run_runner(file: Path) -> tuple[int, str]:
    command = [sys.executable, str(VECTORS / "runners" / "ecvrf.py"), str(file)]
    ended = subprocess.run(command, capture_output=True, check=False, text=True)
    return ended.returncode, ended.stdout.splitlines()[-1]


def test_runner(tmp_path: Path) -> None:
    assert run_runner(VECTORS / "ecvrf.json") == (0, "1088 tests, 0 wrong")
    wrong = tmp_path / "wrong.json"
    text = (VECTORS / "ecvrf.json").read_text()
    wrong.write_text(text.replace('"result":"valid"', '"result":"invalid"'))
    assert run_runner(wrong) == (1, "1088 tests, 238 wrong")
