"""Tokens of every scheme."""

import copy
import pickle

import pytest

from klero import token

SCHEMES = ("chain", "aggregate", "bls")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_token_is_minted_narrowed_sealed_and_verified(scheme: str) -> None:
    issuer = token.TokenSecretKey.generate(scheme)
    roots = {7: issuer.public_key}
    minted = token.mint(issuer, b"account 17: all", root_id=7)
    narrowed = token.append(minted, b"read only", roots=roots)
    content = token.verify(narrowed, roots=roots)
    assert (content.scheme, content.root_id, content.sealed) == (scheme, 7, False)
    assert [(block.kind, block.payload) for block in content.blocks] == [
        ("root", b"account 17: all"),
        ("opaque", b"read only"),
    ]
    assert len({block.revocation_id for block in content.blocks}) == 2
    first = token.inspect(minted).blocks[0]
    assert first.revocation_id == content.blocks[0].revocation_id

    challenge = {"nonce": bytes(16), "audience": "api.example.org", "time": 1_800_000_000}
    sealed = token.seal(narrowed, roots=roots, **challenge)  # type: ignore[arg-type]
    assert token.verify(sealed, roots=roots, **challenge).sealed  # type: ignore[arg-type]
    with pytest.raises(token.InvalidToken, match="sealed"):
        token.verify(sealed, roots=roots)
    with pytest.raises(token.InvalidToken, match="not sealed"):
        token.verify(narrowed, roots=roots, **challenge)  # type: ignore[arg-type]
    with pytest.raises(token.InvalidToken, match="sealed"):
        token.append(sealed, b"more", roots=roots)
    with pytest.raises(TypeError, match="expected all of them or none"):
        token.verify(sealed, roots=roots, time=1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_other_roots_and_changed_tokens_are_refused(scheme: str) -> None:
    issuer, other = (token.TokenSecretKey.generate(scheme) for _ in range(2))
    minted = token.mint(issuer, b"all")
    for roots in (other.public_key, {1: issuer.public_key}, {}):
        with pytest.raises(token.InvalidToken) as refused:
            token.verify(minted, roots=roots)
        assert refused.value.reason == str(refused.value)
    with pytest.raises(token.InvalidToken):
        token.verify(minted[:-4] + "AAAA", roots=issuer.public_key)
    for wrong in ("", "x", "é", "AAAA"):
        with pytest.raises(token.InvalidToken):
            token.inspect(wrong)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_keys(scheme: str) -> None:
    key = token.TokenSecretKey.generate(scheme)
    assert token.TokenSecretKey.from_seed(scheme, key.to_seed()) == key
    assert token.TokenSecretKey.generate(scheme) != key
    assert token.TokenPublicKey(scheme, bytes(key.public_key)) == key.public_key
    assert key.to_seed().hex() not in repr(key) and scheme in repr(key)
    for leak in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match="not pickled or copied"):
            leak(key)
    with pytest.raises(ValueError):
        token.TokenPublicKey(scheme, bytes(5))
    with pytest.raises(ValueError, match="seed has 5 bytes"):
        token.TokenSecretKey.from_seed(scheme, bytes(5))
    with pytest.raises(ValueError, match="expected chain, aggregate or bls"):
        token.TokenSecretKey.generate("none")
