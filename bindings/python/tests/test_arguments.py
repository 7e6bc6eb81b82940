"""Any function takes any arguments: it answers, or raises an exception of a kind that callers expect. A panic
would end in one that is none of them."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import klero
from klero import _klero, token

#: What a call may raise. OverflowError and MemoryError come from Python's own conversions.
ALLOWED = (
    TypeError,
    ValueError,
    OverflowError,
    MemoryError,
    OSError,
    klero.AuditError,
    klero.InvalidProof,
    token.InvalidToken,
    token.Refused,
)

CALLS = 1500


class Broken:
    """Whatever is asked of it fails."""

    def __index__(self) -> int:
        raise ValueError("no number")

    def __iter__(self) -> Iterator[object]:
        yield b""
        raise ValueError("no more items")

    def __buffer__(self, flags: int) -> memoryview:
        raise ValueError("no bytes")

    def __len__(self) -> int:
        return 2**62

    def __getitem__(self, name: object) -> object:
        raise KeyError(name)

    def __fspath__(self) -> str:
        return "\0"


def fitting() -> dict[str, list[Any]]:
    """Valid keys, claims and tokens, by the names of parameters that take them, self among them."""
    key = klero.SecretKey.from_seed("praos", bytes(32))
    proof, output = key.prove(b"alpha")
    issuer = token.TokenSecretKey.from_seed("aggregate", bytes(32))
    party = token.TokenSecretKey.from_seed("ed25519", bytes(32))
    minted = token.mint(issuer, b"all", caveats=["method GET"])
    challenge = token.Challenge(b"nonce", "service", 1)
    request = token.request(minted)
    public = bytes(key.public_key)
    claim = (public, b"alpha", proof, output)
    table = pyarrow.table(
        {"key": [public], "alpha": [b"alpha"], "proof": [proof], "seed": [bytes(32)]}
    )
    tokens = [
        minted,
        token.seal(minted, challenge),
        token.narrow(minted, ["path /x"]),
        token.append(minted, b"opaque"),
    ]
    return {
        "self": [key, klero.Verifier("praos"), issuer, issuer.public_key, challenge],
        "suite": ["praos", "draft10-ell2-bc", klero.suites()[0], ""],
        "public": [public],
        "alpha": [b"alpha", b"", "alpha"],
        "alphas": [[b"alpha", b""], (b"alpha",)],
        "proof": [proof, "proof"],
        "output": [output, None, "output"],
        "seed": [bytes(32), "seed"],
        "secret": [key.to_libsodium()],
        "text": [key.to_envelope(), klero.public_key_to_envelope(public, "praos")],
        "claims": [[claim, claim[:3], claim[:2]], [claim] * 17],
        "threads": [None, 1, 2, 0, 2**64 - 1],
        "n": [1, 100, 2**512, 0],
        "table": [table, table.slice(0, 0), table.to_batches()[0], table.select(["alpha"])],
        "columns": [None, {}, {"key": "pk", "alpha": "alpha"}, {"alpha": 1}, {"secret": "a"}],
        "key": [key, issuer, party, "key", public],
        "scheme": ["aggregate", "chain", "ed25519", "es256"],
        "rights": [b"all"],
        "caveats": [["method GET"], (), ["before 2030-01-01T00:00:00Z", "no caveat"]],
        "root_id": [0, 2**32 - 1, 2**32],
        "token": tokens,
        "roots": [{0: issuer.public_key}, {}, {2**40: issuer.public_key}, {0: party.public_key}],
        "relying_party": [
            None,
            token.RelyingParty("example.org", ["https://example.org"], user_verification=True),
        ],
        "request": [request],
        "payload": [b"seen"],
        "statement": [token.statement(request, party, b"seen")],
        "challenge": [None, challenge],
        "revoked": [set(), [bytes(16)], lambda _: False, lambda _: Broken()],
        "now": [1, datetime.now(timezone.utc), None],
        "audience": ["service", None],
        "path": ["/x", None, Path("no such place")],
        "method": ["GET", None],
        "fields": [{"a": "b"}, {}, None],
        "accept": [lambda _: True, lambda _: Broken(), None],
        "nonce": [b"nonce"],
        "time": [1, 2**64],
        "id": ["example.org"],
        "origins": [["https://example.org"], ["https://example.org", 1]],
        "network": ["preview", "mainnet", None],
    }


def odd() -> list[Any]:
    """What a caller may pass by mistake."""
    numbers = [True, 0, -1, 1, 2**31, 2**32, 2**63, 2**64, 2**200, 0.5, float("nan")]
    texts = ["", "praos", "chain", "ed25519", "all", "key", "a\0b", "\ud800", "é" * 300, "mainnet"]
    lengths = [0, 1, 31, 32, 33, 64, 65, 80, 96, 128]
    strided = memoryview(bytes(128))[::2]
    containers: list[Any] = [[], (), {}, {"a": "b"}, [None], [b"", 1], {1: 2}, [[]], [""] * 70]
    others: list[Any] = [
        None,
        Broken(),
        object(),
        Broken,
        bytearray(32),
        strided,
        memoryview(bytes(32)),
        datetime.now(timezone.utc),
        Path("no such place"),
        iter([b"alpha"]),
        lambda *_: Broken(),
    ]
    return numbers + texts + [bytes(n) for n in lengths] + containers + others


def callables() -> dict[str, Callable[..., Any]]:
    """Every function, class and method of the native module."""
    found: dict[str, Callable[..., Any]] = {}
    for name, value in vars(_klero).items():
        if not callable(value) or name in ("_Stream", "_Array"):
            continue
        found[name] = value
        if inspect.isclass(value):
            for method in dir(value):
                if not method.startswith("_"):
                    found[f"{name}.{method}"] = getattr(value, method)
    return {name: value for name, value in found.items() if callable(value)}


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:
        return []


@pytest.mark.parametrize("name", sorted(callables()))
def test_any_arguments(name: str) -> None:
    function = callables()[name]
    dice = random.Random(name)
    fit, others = fitting(), odd()
    others += [value for values in fit.values() for value in values]
    answered = 0
    for _ in range(CALLS if len(parameters(function)) > 1 else CALLS // 10):
        positional, named = [], {}
        for parameter in parameters(function):
            values = fit.get(parameter.name, others) if dice.random() < 0.85 else others
            value = dice.choice(values)
            is_optional = parameter.default is not inspect.Parameter.empty
            if is_optional and dice.random() < 0.4:
                if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                    break
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        try:
            function(*positional, **named)
            answered += 1
        except ALLOWED:
            pass
    # The choices are the same in every run. A database is no argument here.
    if inspect.isbuiltin(function) and "." not in name and name != "audit":
        assert answered > 0
