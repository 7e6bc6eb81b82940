"""Tokens that passkeys hold or speak in: for whom they are accepted."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from conftest import NEWEST, ROOT, additions, token_of
from klero import token

FILE = json.loads((ROOT / "vectors" / "tokens" / "passkeys.json").read_text())
ROOTS = {
    int(number): token.TokenPublicKey("chain", bytes.fromhex(key))
    for number, key in FILE["roots"].items()
}
VECTORS = {vector["name"]: vector for vector in FILE["tokens"]}
SHOP = token.RelyingParty("shop.example", ["https://shop.example"], user_verification=False)


def asked(vector: dict[str, Any]) -> dict[str, Any]:
    """Roots and challenge of a vector."""
    known: dict[str, Any] = {"roots": ROOTS, "challenge": None}
    if "challenge" in vector:
        challenge = vector["challenge"]
        nonce = bytes.fromhex(challenge["nonce"])
        known["challenge"] = token.Challenge(nonce, challenge["audience"], challenge["time"])
    return known


@pytest.mark.parametrize("name", VECTORS)
def test_every_vector_gets_its_verdict(name: str) -> None:
    vector = VECTORS[name]
    known = asked(vector)
    if "relying_party" in vector:
        known["relying_party"] = token.RelyingParty(**vector["relying_party"])
    if vector["valid"]:
        content = token.verify(token_of(vector), **known)
        assert content.blocks[0].payload.hex() == vector["rights"]
    else:
        with pytest.raises(token.InvalidToken):
            token.verify(token_of(vector), **known)


@pytest.mark.parametrize(
    ("name", "place"),
    [("sealed by a passkey", "seal"), ("statement by a passkey", "block 1, third party")],
)
def test_passkeys_are_accepted_for_one_relying_party(name: str, place: str) -> None:
    vector = VECTORS[name]
    access = vector["checks"][0]["access"]
    access = {**access, "fields": dict(access["fields"])}
    calls: list[Callable[..., object]] = [
        partial(token.verify, token_of(vector), **asked(vector)),
        partial(token.check, token_of(vector), **asked(vector), **access, revoked=()),
    ]

    def party(
        domain: str = "shop.example", *origins: str, verified: bool = True
    ) -> token.RelyingParty:
        pages = origins or ("https://shop.example",)
        return token.RelyingParty(domain, pages, user_verification=verified)

    for call in calls:
        assert call(relying_party=party())
        assert call(relying_party=party(verified=False))
        several = party("shop.example", "https://a.example", "https://shop.example")
        assert call(relying_party=several)
        for other, reason in [
            (None, "made by a passkey, but the verifier has no relying party"),
            (party("other.example"), "the authenticator data is for another relying party"),
            (party("shop.example", "https://other.example"), "has an origin that the verifier"),
            (party("shop.example", "https://shop.example/"), "has an origin that the verifier"),
        ]:
            with pytest.raises(token.InvalidToken, match=f"^{place}: .*{reason}"):
                call(relying_party=other)


def test_the_user_is_verified_if_that_is_required() -> None:
    vector = VECTORS["only present"]
    verify = partial(token.verify, token_of(vector), **asked(vector))
    assert verify(relying_party=SHOP).sealed
    strict = token.RelyingParty(SHOP.id, SHOP.origins, user_verification=True)
    with pytest.raises(token.InvalidToken, match="^seal: the user was not verified$"):
        verify(relying_party=strict)


def test_holders_verify_first_if_they_want() -> None:
    vouched = token_of(VECTORS["statement by a passkey"])
    for add in additions(vouched):
        assert add(vouched, roots=ROOTS, relying_party=SHOP)
        with pytest.raises(token.InvalidToken, match="the verifier has no relying party"):
            add(vouched, roots=ROOTS)
        with pytest.raises(TypeError, match="relying_party without roots"):
            add(vouched, relying_party=SHOP)


def test_relying_parties() -> None:
    same = token.RelyingParty(
        "shop.example", iter(["https://shop.example"]), user_verification=False
    )
    assert same == SHOP and hash(same) == hash(SHOP)
    assert (same.id, same.origins) == ("shop.example", ("https://shop.example",))
    assert not same.user_verification
    assert token.RelyingParty(SHOP.id, SHOP.origins, user_verification=True) != SHOP
    shown = '<klero.token.RelyingParty "shop.example", origins ["https://shop.example"]>'
    assert repr(same) == shown
    with pytest.raises(ValueError, match="no origins"):
        token.RelyingParty("shop.example", [], user_verification=True)


@NEWEST
def test_wrong_types_are_named() -> None:
    party: Any = token.RelyingParty
    page = "https://shop.example"
    calls: list[tuple[str, Callable[[], object]]] = [
        ("expected a list of origins, got str", lambda: party("a", page, user_verification=True)),
        ("origin 1: ", lambda: party("a", [page, 7], user_verification=True)),
        ("'id'", lambda: party(b"a", [page], user_verification=True)),
        ("'user_verification'", lambda: party("a", [page], user_verification="no")),
        ("user_verification", lambda: party("a", [page])),
        ("positional", lambda: party("a", [page], True)),
    ]
    vector = VECTORS["sealed by a passkey"]
    known = asked(vector)
    wrong: Any = {"id": "shop.example", "origins": [page], "user_verification": True}
    calls.append(
        ("'relying_party'", lambda: token.verify(token_of(vector), **known, relying_party=wrong))
    )
    for message, call in calls:
        with pytest.raises(TypeError) as raised:
            call()
        # The name of the argument is in a note.
        said = f"{raised.value} {getattr(raised.value, '__notes__', '')}"
        assert message in said
