"""What the tests share: the vectors of the repository, claims of every kind, what holders do."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import klero
from klero import token

# A shell that runs the tests in the background has interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[3]

#: The newest DuckDB, polars and pandas need Python 3.11, and so do notes in exceptions.
NEWEST = pytest.mark.skipif(sys.version_info < (3, 11), reason="needs Python 3.11")


@dataclass(frozen=True)
class Case:
    """A claim of vectors/*.json (ecvrf.json is in test_vectors.py), and the verdict that it must get."""

    suite: str
    name: str
    valid: bool
    key: bytes
    alpha: bytes
    proof: bytes
    output: bytes | None
    seed: bytes | None

    @property
    def claim(self) -> tuple[bytes, bytes, bytes, bytes | None]:
        return (self.key, self.alpha, self.proof, self.output)


def _cases() -> list[Case]:
    cases = []
    for file in sorted((ROOT / "vectors").glob("*.json")):
        if file.name.startswith(("ecvrf", "headers")):
            continue
        for case in json.loads(file.read_text()):
            fields: list[Any] = [
                bytes.fromhex(case[name]) if name in case else None
                for name in ("pk", "alpha", "pi", "beta", "sk")
            ]
            name = f"{file.name}: {case['name']}"
            cases.append(Case(case["suite"], name, case["valid"], *fields))
    assert len(cases) > 500
    return cases


CASES = _cases()


def verdict(case: Case, verify: Callable[..., bytes] | None = None) -> str:
    """The verdict on one claim alone, in the words of a table."""
    verify = verify or partial(klero.verify, suite=case.suite)
    try:
        verify(case.key, case.alpha, case.proof, output=case.output)
    except klero.InvalidProof as invalid:
        return f"invalid: {invalid.reason}"
    return "valid"


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)


def token_of(vector: dict[str, Any]) -> str:
    """The text of a token of vectors/tokens."""
    return base64.urlsafe_b64encode(bytes.fromhex(vector["token"])).decode().rstrip("=")


def additions(held: str) -> list[Callable[..., str]]:
    """What a holder can do with this token: functions of it, and of roots."""
    registry = token.TokenSecretKey.generate("ed25519")
    statement = token.statement(token.request(held), registry, b"of age")
    return [
        partial(token.narrow, caveats=["method GET"]),
        partial(token.append, payload=b"bytes"),
        partial(token.append_statement, statement=statement),
        partial(token.seal, challenge=token.Challenge(bytes(16), "shop", 0)),
        token.request,
    ]


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    return CASES


@pytest.fixture(scope="session")
def verdicts(cases: list[Case]) -> list[str]:
    """The verdict on each case alone."""
    return [verdict(case) for case in cases]


@pytest.fixture(scope="session")
def columns(cases: list[Case]) -> dict[str, list[object]]:
    """The cases as columns of a table."""
    names = ("suite", "key", "alpha", "proof", "output")
    return {name: [getattr(case, name) for case in cases] for name in names}


@pytest.fixture(scope="session")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small chain of every era, forged by the checkout's own crate."""
    directory = tmp_path_factory.mktemp("chain")
    environment = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    subprocess.run(
        ["cargo", "run", "--quiet", "--release", "--manifest-path", ROOT / "Cargo.toml",
         "--example", "sample", "--", directory],
        check=True, capture_output=True, env=environment,
    )  # fmt: skip
    return directory
