"""Secret and public keys."""

import binascii
import copy
import pickle

import pytest
from conftest import Case

import klero


def test_every_secret_vector_is_proved_and_evaluated(cases: list[Case]) -> None:
    proved = 0
    for case in cases:
        if case.seed is None:
            continue
        key = klero.SecretKey.from_seed(case.suite, case.seed)
        assert key.public_key == case.key
        assert key.suite == case.suite
        assert key.prove(case.alpha) == (case.proof, case.output)
        assert key.evaluate(case.alpha) == case.output
        proved += 1
    assert proved > 200


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_many_are_proved_as_one(threads: int) -> None:
    key = klero.SecretKey.generate("rfc9381-ell2-bc")
    for count in (0, 1, 17, 150):
        alphas = [str(number).encode() for number in range(count)]
        expected = [key.prove(alpha) for alpha in alphas]
        assert key.prove_many(alphas, threads=threads) == expected
        outputs = [output for _, output in expected]
        assert key.evaluate_many(iter(alphas), threads=threads) == outputs


@pytest.mark.parametrize("suite", [suite.name for suite in klero.suites()])
def test_a_key_survives_every_form(suite: str) -> None:
    key = klero.SecretKey.generate(suite)
    assert klero.SecretKey.from_seed(suite, key.to_seed()) == key
    assert klero.SecretKey.from_libsodium(suite, key.to_libsodium()) == key
    assert klero.SecretKey.from_encoded(key.to_envelope()) == key
    text = klero.public_key_to_envelope(key.public_key, suite)
    assert klero.public_key_from_encoded(text) == (key.public_key, suite)
    base64 = binascii.b2a_base64(key.to_seed()).decode()
    assert klero.SecretKey.from_encoded(f"\ufeff{base64}", suite) == key
    assert klero.public_key_from_encoded(f'"0x{key.public_key.hex()}"') == (key.public_key, None)


def test_keys_are_equal_if_suite_and_seed_are() -> None:
    key = klero.SecretKey.from_seed("praos", bytes(32))
    assert key == klero.SecretKey.from_seed("praos", bytes(32))
    assert key != klero.SecretKey.from_seed("draft13", bytes(32))
    assert key != klero.SecretKey.from_seed("praos", bytes([1] * 32))
    assert key != key.to_seed()
    with pytest.raises(TypeError, match="unhashable"):
        hash(key)


def test_a_secret_is_neither_shown_nor_pickled_nor_copied() -> None:
    key = klero.SecretKey.generate("praos")
    for text in (repr(key), str(key), f"{key}"):
        assert key.to_seed().hex() not in text
        assert key.public_key.hex() in text and "praos" in text
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled or copied"):
            leak(key)
    assert not hasattr(key, "__dict__")


def test_bad_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="seed has 31 bytes, expected 32"):
        klero.SecretKey.from_seed("praos", bytes(31))
    with pytest.raises(ValueError, match="secret key has 32 bytes, expected 64"):
        klero.SecretKey.from_libsodium("praos", bytes(32))
    with pytest.raises(ValueError, match="not the public key"):
        klero.SecretKey.from_libsodium("praos", bytes(64))
    with pytest.raises(ValueError, match="not a text envelope"):
        klero.SecretKey.from_encoded("{}")
    with pytest.raises(ValueError, match="^found 16 bytes"):
        klero.SecretKey.from_encoded("07" * 16, "praos")
    seed = bytes(range(32)).hex()
    with pytest.raises(ValueError, match="does not say its suite"):
        klero.SecretKey.from_encoded(seed)
    with pytest.raises(ValueError, match="belongs to suite draft13, not praos"):
        other = klero.SecretKey.from_encoded(seed, "draft13")
        klero.SecretKey.from_encoded(other.to_envelope(), "praos")
    with pytest.raises(ValueError, match="^found 31 bytes: expected 32 or 64 bytes") as error:
        klero.SecretKey.from_encoded(seed[2:], "praos")
    assert seed[2:8] not in str(error.value)
    with pytest.raises(ValueError, match="small order"):
        klero.public_key_to_envelope(bytes(32), "praos")
    for key, reason in [
        (bytes(32), "small order"),
        (bytes(31), "31 bytes"),
        (bytes([255] * 32), "not canonical"),
        (bytes([2] * 32), "not a point"),
    ]:
        with pytest.raises(ValueError, match=reason):
            klero.check_public_key(key)
    klero.check_public_key(klero.SecretKey.generate("praos").public_key)
    with pytest.raises(TypeError):
        klero.SecretKey()
