"""Tokens of every scheme."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import pytest

from conftest import NEWEST, ROOT, additions, token_of
from klero import token

SCHEMES = ("chain", "aggregate")
NOW = 1_800_000_000
CHALLENGE = token.Challenge(bytes(range(16)), "api.example.org", NOW)
#: There is no challenge, and nothing is revoked.
BARE: dict[str, Any] = {"challenge": None, "revoked": ()}
#: An issuer of the default scheme, its root key, and a token.
ISSUER = token.TokenSecretKey.generate()
ROOTS = ISSUER.public_key
MINTED = token.mint(ISSUER, b"all")
#: A header that is not UTF-8, as servers decode it.
SURROGATES = b"S1QD\xff".decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_token_is_minted_narrowed_vouched_for_sealed_and_checked(scheme: str) -> None:
    issuer = token.TokenSecretKey.generate(scheme)
    registry = token.TokenSecretKey.generate("ed25519")
    roots = {7: issuer.public_key}
    caveats = ["before 2027-01-15T08:00:01Z", f"vouched {registry.public_key} of age"]
    minted = token.mint(issuer, b"account 17", caveats=caveats, root_id=7)
    narrowed = token.narrow(minted, (text for text in ["method GET HEAD", "user = alice"]))
    request = token.request(narrowed)
    assert len(request) == 92
    statement = token.statement(request, registry, b"of age")
    vouched = token.append_statement(narrowed, statement)

    def check(text: str, **told: Any) -> bytes:
        told = {**BARE, "method": "GET", "fields": {"user": "alice"}, **told}
        told["audience"] = CHALLENGE.audience
        return token.check(text, roots=roots, now=NOW, **told)

    assert check(vouched) == b"account 17"
    with pytest.raises(token.Refused, match="block 0: vouched ed25519:"):
        check(narrowed)

    content = token.verify(vouched, roots=roots, challenge=None)
    assert (content.scheme, content.root_id) == (scheme, 7)
    assert (content.sealed, content.held) == (False, False)
    added = b"method GET HEAD\nuser = alice"
    assert [(one.kind, one.payload, one.caveats, one.third_party) for one in content.blocks] == [
        ("root", b"account 17", "\n".join(caveats).encode(), None),
        ("caveats", added, added, None),
        ("statement", b"of age", b"", bytes(registry.public_key)),
    ]
    assert len({block.revocation_id for block in content.blocks}) == 3
    first = token.inspect(minted).blocks[0]
    assert first.revocation_id == content.blocks[0].revocation_id

    sealed = token.seal(vouched, CHALLENGE)
    assert token.verify(sealed, roots=roots, challenge=CHALLENGE).sealed
    assert check(sealed, challenge=CHALLENGE) == b"account 17"
    other = token.Challenge(CHALLENGE.nonce, CHALLENGE.audience, NOW + 1)
    calls: list[Callable[..., object]] = [check, partial(token.verify, roots=roots)]
    for call in calls:
        with pytest.raises(token.InvalidToken, match="the token is sealed"):
            call(sealed, challenge=None)
        with pytest.raises(token.InvalidToken, match="not sealed"):
            call(vouched, challenge=CHALLENGE)
        with pytest.raises(token.InvalidToken):
            call(sealed, challenge=other)
    with pytest.raises(token.Refused, match="the request does not say"):
        check(sealed, challenge=CHALLENGE, method=None)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_holders_need_no_root_key_and_may_name_one(scheme: str) -> None:
    issuer, other = (token.TokenSecretKey.generate(scheme) for _ in range(2))
    minted = token.mint(issuer, b"all")
    sealed = token.seal(minted, CHALLENGE)
    for add in additions(minted):
        assert add(minted)
        assert add(minted, roots=issuer.public_key)
        with pytest.raises(token.InvalidToken):
            add(minted, roots=other.public_key)
        with pytest.raises(token.InvalidToken, match="the token is sealed"):
            add(sealed)
        with pytest.raises(token.InvalidToken, match="the token is sealed"):
            add(sealed, roots=issuer.public_key)
    # What is added to an invalid token makes no valid one.
    with pytest.raises(token.InvalidToken):
        token.verify(token.narrow(minted, ["method GET"]), roots=other.public_key, challenge=None)


@pytest.mark.parametrize(
    ("caveat", "told", "refused", "reason"),
    [
        ("after 2027-01-15T08:00:00Z", {"now": NOW}, {"now": NOW - 1}, "it does not hold"),
        ("audience shop", {"audience": "shop"}, {}, "the request does not say"),
        ("path /files", {"path": "/files/17"}, {"path": "/filesystem"}, "it does not hold"),
        ("method GET HEAD", {"method": "HEAD"}, {"method": "get"}, "it does not hold"),
        ("user = é", {"fields": {"user": "é"}}, {"fields": {"user": "e"}}, "it does not hold"),
        ("user = a", {"fields": [("user", "a")]}, {"fields": {}}, "the request does not say"),
        (
            "user = a",
            {"fields": MappingProxyType({"user": "a"})},
            {"fields": [("user", "a"), ("user", "b")]},
            "it does not hold",
        ),
    ],
)
def test_what_is_told_reaches_the_caveats_and_a_refusal_says_why(
    caveat: str, told: dict[str, Any], refused: dict[str, Any], reason: str
) -> None:
    narrowed = token.narrow(MINTED, [caveat])
    assert token.check(narrowed, roots=ROOTS, **{**BARE, "now": 0, **told}) == b"all"
    with pytest.raises(token.Refused) as raised:
        token.check(narrowed, roots=ROOTS, **{**BARE, "now": 0, **refused})
    error = raised.value
    assert (error.block, error.caveat, error.reason) == (1, caveat, reason)
    assert str(error) == f"block 1: {caveat}: {reason}"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (token.Refused, str(error))
    assert not isinstance(error, token.InvalidToken)


def test_what_is_no_request_or_statement_for_a_token_is_invalid() -> None:
    issuer = token.TokenSecretKey.generate("aggregate")
    registry = token.TokenSecretKey.generate("ed25519")
    minted = token.mint(issuer, b"may buy")
    request = token.request(minted)
    statement = token.statement(request, registry, b"of age")
    with pytest.raises(token.InvalidToken, match="third party: the signature does not hold"):
        token.append_statement(token.narrow(minted, []), statement)
    with pytest.raises(token.InvalidToken, match="statement: form 2 at byte 4"):
        token.append_statement(minted, request)
    with pytest.raises(token.InvalidToken, match="request: form 3 at byte 4"):
        token.statement(statement, registry, b"of age")


def test_keys_serve_one_use() -> None:
    issuer = token.TokenSecretKey.generate()
    registry = token.TokenSecretKey.generate("ed25519")
    request = token.request(token.mint(issuer, b"all"))
    with pytest.raises(ValueError, match="which is a third party's"):
        token.statement(request, issuer, b"of age")
    with pytest.raises(token.InvalidToken, match="65536"):
        token.statement(request, registry, bytes(65536))
    with pytest.raises(ValueError, match="expected chain or aggregate"):
        token.mint(registry, b"all")
    seed = issuer.to_seed()
    assert token.TokenSecretKey.from_seed("ed25519", seed) != issuer
    public = token.TokenSecretKey.from_seed("ed25519", seed).public_key
    assert bytes(public) == bytes(issuer.public_key) and public != issuer.public_key
    roots: list[Any] = [public, {1: issuer.public_key}, {}]
    for known in roots:
        with pytest.raises(token.InvalidToken, match="no root key has the number 0"):
            token.verify(token.mint(issuer, b"all"), roots=known, challenge=None)


def test_a_block_of_bytes_refuses_unless_it_is_accepted() -> None:
    text = token.append(MINTED, b"read only")
    with pytest.raises(token.Refused) as refused:
        token.check(text, roots=ROOTS, now=NOW, challenge=None, revoked=())
    error = refused.value
    assert (error.block, error.caveat, error.reason) == (1, "9 bytes", "not accepted")
    seen: list[bytes] = []

    def accept(payload: bytes) -> bool:
        seen.append(payload)
        return payload == b"read only"

    assert token.check(text, roots=ROOTS, now=NOW, challenge=None, revoked=(), accept=accept) == b"all"
    assert seen == [b"read only"]
    with pytest.raises(token.Refused, match="not accepted"):
        token.check(token.append(text, b"no"), roots=ROOTS, now=NOW, challenge=None, revoked=(), accept=accept)
    narrowed = token.narrow(text, ["method GET"])
    with pytest.raises(token.Refused, match="method GET"):
        token.check(narrowed, roots=ROOTS, now=NOW, challenge=None, revoked=(), accept=accept)

    def broken(payload: bytes) -> bool:
        raise LookupError(payload)

    async def later(payload: bytes) -> bool:
        raise AssertionError

    with pytest.raises(LookupError):
        token.check(text, roots=ROOTS, now=NOW, challenge=None, revoked=(), accept=broken)
    # A coroutine is true, and no answer.
    with pytest.warns(RuntimeWarning, match="never awaited"), pytest.raises(TypeError):
        token.check(text, roots=ROOTS, now=NOW, challenge=None, revoked=(), accept=later)  # type: ignore[arg-type]
    for answer in (1, "yes", None):
        with pytest.raises(TypeError):
            token.check(text, roots=ROOTS, now=NOW, challenge=None, revoked=(), accept=lambda _: answer)  # type: ignore


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("method GET, HEAD", "write `method GET HEAD`"),
        ("method GET\nmethod PUT", "expected methods such as GET"),
        ("user = a\x1b[2J", "no control character"),
        ("x" * 100_000, "expected `before TIME`, "),
    ],
)
def test_what_is_no_caveat_is_an_error_that_shows_it(text: str, advice: str) -> None:
    makers: list[Callable[..., str]] = [
        partial(token.narrow, MINTED),
        partial(token.mint, ISSUER, b"all"),
    ]
    for make in makers:
        with pytest.raises(ValueError, match="^caveat 1: not a caveat: ") as raised:
            make(caveats=["method GET", text])
        message = str(raised.value)
        assert advice in message
        assert message.isprintable()
        assert not isinstance(raised.value, UnicodeError)


@NEWEST
def test_wrong_types_are_named() -> None:
    def check(**told: Any) -> bytes:
        return token.check(MINTED, **{**BARE, "roots": ROOTS, "now": NOW, **told})

    def unsaid(name: str) -> bytes:
        told: dict[str, Any] = {**BARE, "roots": ROOTS, "now": NOW}
        del told[name]
        return token.check(MINTED, **told)

    calls: list[tuple[str, Callable[[], object]]] = [
        ("expected a list of caveats", lambda: token.narrow(MINTED, "method GET")),
        ("expected a list of caveats", lambda: token.mint(ISSUER, b"", caveats="method GET")),
        ("caveat 0: ", lambda: token.narrow(MINTED, b"method GET")),  # type: ignore[arg-type]
        ("caveat 1: ", lambda: token.narrow(MINTED, ["method GET", None])),  # type: ignore
        ("not iterable", lambda: token.narrow(MINTED, None)),  # type: ignore[arg-type]
        ("'token'", lambda: token.narrow(MINTED.encode(), [])),  # type: ignore[arg-type]
        ("got str", lambda: token.mint(ISSUER, "all")),  # type: ignore[arg-type]
        ("'key'", lambda: token.mint(ISSUER.public_key, b"all")),  # type: ignore[arg-type]
        ("'key'", lambda: token.mint(ISSUER.to_seed(), b"all")),  # type: ignore[arg-type]
        ("'now'", lambda: check(now=1.5)),
        ("keyword argument: 'now'", lambda: unsaid("now")),
        ("keyword argument: 'roots'", lambda: unsaid("roots")),
        ("keyword argument: 'challenge'", lambda: unsaid("challenge")),
        ("keyword argument: 'revoked'", lambda: unsaid("revoked")),
        ("argument: 'challenge'", lambda: token.verify(MINTED, roots=ROOTS)),  # type: ignore
        ("'revoked'", lambda: check(revoked=None)),
        ("expected revocation ids", lambda: check(revoked=bytes(32))),
        ("expected revocation ids", lambda: check(revoked="00" * 32)),
        ("id 1: expected bytes, got str", lambda: check(revoked=[bytes(32), "00" * 32])),
        ("expected a TokenPublicKey", lambda: check(roots=bytes(ROOTS))),
        ("'path'", lambda: check(path=b"/files")),
        ("'method'", lambda: check(method=["GET"])),
        ("'audience'", lambda: check(audience=7)),
        ("field 0: ", lambda: check(fields={"user": 7})),
        ("field 1: ", lambda: check(fields=[("user", "a"), "user"])),
        ("field 0: ", lambda: check(fields="user")),
        ("'fields'", lambda: check(fields=7)),
        ("'challenge'", lambda: check(challenge=(bytes(16), "shop", NOW))),
        ("'challenge'", lambda: token.seal(MINTED, None)),  # type: ignore[arg-type]
        ("'time'", lambda: token.Challenge(bytes(16), "shop", 1.5)),  # type: ignore[arg-type]
        ("got str", lambda: token.Challenge("nonce", "shop", 1)),  # type: ignore[arg-type]
    ]
    for message, call in calls:
        with pytest.raises(TypeError) as raised:
            call()
        # The name of the argument is in a note.
        said = f"{raised.value} {getattr(raised.value, '__notes__', '')}"
        assert message in said and MINTED not in said
    assert check(roots={0: ROOTS}) == b"all"
    with pytest.raises(ValueError, match="tuple of length 1"):
        check(fields=[("user",)])
    with pytest.raises(OverflowError):
        check(now=-1)
    with pytest.raises(OverflowError):
        check(now=1 << 64)


def test_a_token_that_a_device_holds_is_shown_as_such() -> None:
    vectors = json.loads((ROOT / "vectors" / "tokens" / "chain.json").read_text())
    named = {vector["name"]: token_of(vector) for vector in vectors["tokens"]}
    content = token.inspect(named["held by a device"])
    assert (content.sealed, content.held) == (False, True)
    content = token.inspect(named["sealed"])
    assert (content.sealed, content.held) == (True, False)


def test_no_token_is_made_that_none_accepts() -> None:
    caveats = ["method GET"] * 257
    calls: list[tuple[str, Callable[[], str]]] = [
        ("bytes, the limit is 65536", lambda: token.mint(ISSUER, bytes(70_000))),
        ("bytes, the limit is 65536", lambda: token.append(MINTED, bytes(70_000))),
        ("257 caveats or more, the limit is 256", lambda: token.narrow(MINTED, caveats)),
        ("caveats or more, the limit is 256", lambda: token.mint(ISSUER, b"", caveats=caveats)),
    ]
    for reason, call in calls:
        with pytest.raises(token.InvalidToken, match=reason):
            call()


@pytest.mark.parametrize(
    "text",
    ["", "x", "é", "AAAA", "S1QD", "S1QDAQAA", "S1QDCQAA", "\0", SURROGATES, "A" * 1_000_000],
)
def test_hostile_texts_are_invalid(text: str) -> None:
    registry = token.TokenSecretKey.generate("ed25519")
    for call in (
        lambda: token.inspect(text),
        lambda: token.verify(text, roots=ROOTS, challenge=None),
        lambda: token.check(text, roots=ROOTS, now=NOW, challenge=None, revoked=()),
        lambda: token.narrow(text, []),
        lambda: token.append(text, b""),
        lambda: token.seal(text, CHALLENGE),
        lambda: token.request(text),
        lambda: token.statement(text, registry, b"of age"),
        lambda: token.append_statement(MINTED, text),
    ):
        with pytest.raises(token.InvalidToken) as invalid:
            call()
        assert 0 < len(invalid.value.reason) < 200 and invalid.value.reason.isprintable()
        assert str(invalid.value) == invalid.value.reason


def test_hostile_requests_are_refused() -> None:
    narrowed = token.narrow(MINTED, ["path /files"])
    for path in ("", "files", "/files/%2e%2e", "/files//", "/files\0", "/files/%ff", "/files?a"):
        with pytest.raises(token.Refused, match="^block 1: path /files: the request: "):
            token.check(narrowed, roots=ROOTS, now=NOW, challenge=None, revoked=(), path=path)
    # What is told and is not Unicode is an error of whoever tells it.
    with pytest.raises(UnicodeEncodeError):
        token.check(narrowed, roots=ROOTS, now=NOW, challenge=None, revoked=(), path=SURROGATES)
    with pytest.raises(UnicodeEncodeError):
        token.check(narrowed, roots=ROOTS, now=NOW, challenge=None, revoked=(), fields={"user": SURROGATES})


@pytest.mark.parametrize("scheme", (*SCHEMES, "ed25519"))
def test_keys(scheme: str) -> None:
    key = token.TokenSecretKey.generate(scheme)
    public = key.public_key
    assert key.scheme == public.scheme == scheme
    assert token.TokenSecretKey.from_seed(scheme, key.to_seed()) == key
    assert token.TokenSecretKey.generate(scheme) != key
    assert token.TokenPublicKey(scheme, bytes(public)) == public
    assert len(bytes(public)) == 32
    assert token.TokenPublicKey.from_text(str(public)) == public
    assert str(public).startswith(f"{scheme}:") and f"{public}" == str(public)
    for text in (str(public) + "=", str(public)[:-1], f"{scheme}:", f"{scheme}:é"):
        with pytest.raises(ValueError):
            token.TokenPublicKey.from_text(text)
    with pytest.raises(ValueError):
        token.TokenPublicKey(scheme, bytes(5))
    with pytest.raises(ValueError, match="seed has 5 bytes"):
        token.TokenSecretKey.from_seed(scheme, bytes(5))
    for unknown in ("none", "", "ED25519"):
        with pytest.raises(ValueError, match="expected chain or aggregate"):
            token.TokenSecretKey.generate(unknown)
        with pytest.raises(ValueError, match="expected chain or aggregate"):
            token.TokenPublicKey.from_text(f"{unknown}:AAAA")


@pytest.mark.parametrize("scheme", (*SCHEMES, "ed25519"))
def test_secrets_are_neither_shown_nor_pickled_nor_copied(scheme: str) -> None:
    key = token.TokenSecretKey.generate(scheme)
    for text in (repr(key), str(key), f"{key}"):
        assert key.to_seed().hex() not in text and scheme in text
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled or copied"):
            leak(key)
    assert not hasattr(key, "__dict__")
    # A secret in the place of a public key is not shown by the error.
    with pytest.raises(ValueError) as error:
        token.TokenPublicKey.from_text(key.to_seed().hex())
    assert key.to_seed().hex() not in str(error.value)


def test_challenges() -> None:
    same = token.Challenge(bytearray(range(16)), "api.example.org", NOW)
    assert same == CHALLENGE and hash(same) == hash(CHALLENGE)
    assert (same.nonce, same.audience, same.time) == (bytes(range(16)), "api.example.org", NOW)
    assert repr(same) == '<klero.token.Challenge of "api.example.org" at 1800000000>'
    assert pickle.loads(pickle.dumps(same)) == same
    assert token.Challenge(bytes(16), "api.example.org", NOW) != CHALLENGE
    with pytest.raises(ValueError, match="nonce of the challenge is empty"):
        token.Challenge(b"", "shop", NOW)


def test_revoked_blocks_refuse() -> None:
    issuer = token.TokenSecretKey.generate("aggregate")
    text = token.narrow(token.mint(issuer, b"all"), ["method GET"])
    ids = [block.revocation_id for block in token.inspect(text).blocks]

    def check(revoked: Any) -> bytes:
        root = issuer.public_key
        return token.check(
            text, roots=root, challenge=None, now=NOW, method="GET", revoked=revoked
        )

    assert check([]) == check({bytes(32)}) == check(lambda _: False) == b"all"
    for block, revoked in enumerate(ids):
        by_function = {revoked}.__contains__
        for known in [[revoked], {revoked}, iter([bytearray(revoked)]), by_function]:
            with pytest.raises(token.Refused) as refused:
                check(known)
            assert refused.value.block == block
            assert refused.value.caveat == revoked.hex()
            assert str(refused.value) == f"block {block}: {revoked.hex()}: the block is revoked"
    with pytest.raises(ValueError, match="revocation id has 31 bytes, expected 32"):
        check([bytes(31)])

    # What cannot be told is no answer.
    def broken(_: bytes) -> bool:
        raise OSError("the database does not answer")

    with pytest.raises(OSError, match="does not answer"):
        check(broken)
    with pytest.raises(TypeError):
        check(lambda _: None)


def test_a_seal_is_for_one_audience() -> None:
    sealed = token.seal(MINTED, CHALLENGE)
    known: dict[str, Any] = {"roots": ROOTS, "challenge": CHALLENGE, "revoked": ()}
    with pytest.raises(token.Refused) as refused:
        token.check(sealed, **known, now=NOW, audience="shop")
    assert refused.value.block is None
    assert str(refused.value) == "seal: audience api.example.org: it does not hold"
