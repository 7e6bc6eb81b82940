"""Verdicts on bytes: every vector, one by one and many at once."""

import importlib.metadata
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Union

import pytest
from conftest import CASES, Case, verdict
from hypothesis import given, settings
from hypothesis import strategies as st

import klero

KEY = klero.SecretKey.from_seed("praos", bytes(32))
PROOF, OUTPUT = KEY.prove(b"alpha")


def words(one: Union[bytes, klero.InvalidProof]) -> str:
    """The verdict on one of many claims, in the words of a table."""
    return "valid" if isinstance(one, bytes) else f"invalid: {one.reason}"


def test_every_vector_has_its_verdict(cases: list[Case], verdicts: list[str]) -> None:
    for case, found in zip(cases, verdicts):
        assert (found == "valid") == case.valid, (case.name, found)


def test_many_get_the_verdicts_and_reasons_of_one_by_one(
    cases: list[Case], verdicts: list[str]
) -> None:
    for suite in klero.suites():
        members = [index for index, case in enumerate(cases) if case.suite == suite.name]
        for threads in (1, 2, None):
            many = klero.verify_many(
                [cases[index].claim for index in members], suite=suite, threads=threads
            )
            assert [words(one) for one in many] == [verdicts[index] for index in members]
            for index, one in zip(members, many):
                if isinstance(one, bytes):
                    assert cases[index].output in (None, one)


class Row(NamedTuple):
    key: bytes
    alpha: bytes
    proof: bytes


class Own(Sequence[bytes]):
    """A sequence that only Python knows."""

    def __init__(self, *fields: bytes) -> None:
        self.fields = fields

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, index: Any) -> Any:
        return self.fields[index]


@pytest.mark.parametrize("kind", [tuple, list, Row._make, lambda fields: Own(*fields)])
def test_a_claim_is_any_sequence(kind: Callable[[Any], Sequence[bytes]]) -> None:
    good, bad = [KEY.public_key, b"alpha", PROOF], [KEY.public_key, b"other", PROOF]
    first, second = klero.verify_many([kind(good), kind(bad)], suite="praos")
    assert first == OUTPUT
    assert isinstance(second, klero.InvalidProof) and second.reason == "challenge mismatch"
    assert klero.verify_many([[*good, None], [*good, OUTPUT]], suite="praos") == [OUTPUT] * 2
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    assert klero.verify_many(database.execute("select ?, ?, ?", good), suite="praos") == [OUTPUT]


def test_a_verifier_that_keeps_keys_gives_the_same_verdicts(
    cases: list[Case], verdicts: list[str]
) -> None:
    for suite in klero.suites():
        verifiers = [klero.Verifier(suite, keep_keys=keys) for keys in (0, 1, 1000)]
        members = [index for index, case in enumerate(cases) if case.suite == suite.name]
        claims = [cases[index].claim for index in members]
        expected = [verdicts[index] for index in members]
        for verifier in verifiers * 5:
            assert verifier.suite == suite.name
            assert [words(one) for one in verifier.verify_many(claims, threads=2)] == expected
        for index in members[::20]:
            assert verdict(cases[index], verifiers[2].verify) == verdicts[index]


def test_a_verifier_says_what_it_is_and_refuses_what_it_is_not() -> None:
    assert repr(klero.Verifier("praos", keep_keys=7)) == "<klero.Verifier of praos, keeps 7 keys>"
    for number in (-1, 1 << 32):
        expected = f"keep_keys: expected 0 to 4294967295, got {number}"
        with pytest.raises(ValueError, match=expected):
            klero.Verifier("praos", keep_keys=number)
    with pytest.raises(TypeError, match="keep_keys: expected 0 to 4294967295, got NoneType"):
        klero.Verifier("praos", keep_keys=None)  # type: ignore[arg-type]


def test_a_proof_has_an_output_if_it_decodes() -> None:
    assert klero.proof_to_hash(PROOF, suite="praos") == OUTPUT
    # It is not verified: the challenge is another one.
    forged = PROOF[:40] + bytes([PROOF[40] ^ 1]) + PROOF[41:]
    assert klero.proof_to_hash(bytearray(forged), suite="praos") == OUTPUT
    with pytest.raises(klero.InvalidProof, match="proof has 79 bytes, expected 80"):
        klero.proof_to_hash(PROOF[:79], suite="praos")
    with pytest.raises(klero.InvalidProof, match="Gamma is not"):
        klero.proof_to_hash(bytes([255] * 80), suite="praos")


def test_integers_below_are_those_of_the_vectors() -> None:
    file = Path(__file__).resolve().parents[3] / "vectors" / "outputs" / "below.json"
    vectors = json.loads(file.read_text())
    assert len(vectors) == 140
    for vector in vectors:
        output, n = bytes.fromhex(vector["output"]), int(vector["n"])
        expected = int.from_bytes(output, "big") * n >> 512
        assert klero.below(output, n) == expected == int(vector["below"])
    with pytest.raises(ValueError, match="output: expected 64 bytes, got 63"):
        klero.below(bytes(63), 2)
    for n in (0, -1, 1 << 64, 10**5000):
        with pytest.raises(ValueError, match=r"n: expected an integer from 1 to 2\*\*64 - 1"):
            klero.below(bytes(64), n)
    for wrong in ("5", 5.0, None):
        with pytest.raises(TypeError):
            klero.below(bytes(64), wrong)  # type: ignore[arg-type]


def test_the_version_is_that_of_the_package() -> None:
    assert klero.__version__ == importlib.metadata.version("klero")


def test_no_claims_have_no_verdicts() -> None:
    assert klero.verify_many([], suite="praos") == []
    assert klero.verify_many(iter([]), suite="praos") == []


def test_every_suite_is_named_by_its_vectors(cases: list[Case]) -> None:
    suites = klero.suites()
    assert {case.suite for case in cases} == {suite.name for suite in suites}
    assert len(set(suites)) == len(suites)
    assert str(suites[0]) == "praos" and "Cardano" in suites[0].used_by
    assert suites[0].proof_length == 80


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_kind_of_bytes_is_taken(kind: type) -> None:
    arguments = [kind(data) for data in (KEY.public_key, b"alpha", PROOF)]
    assert klero.verify(*arguments, suite="praos", output=kind(OUTPUT)) == OUTPUT
    assert klero.verify_many([tuple(arguments)], suite="praos") == [OUTPUT]
    assert KEY.prove(kind(b"alpha")) == (PROOF, OUTPUT)
    assert KEY.evaluate_many([kind(b"alpha")]) == [OUTPUT]
    strided = memoryview(b"".join(bytes([byte, 0]) for byte in PROOF))[::2]
    assert klero.verify(KEY.public_key, b"alpha", strided, suite="praos") == OUTPUT


def test_what_is_no_bytes_is_refused() -> None:
    with pytest.raises(TypeError, match="expected bytes, got str.*bytes.fromhex"):
        klero.verify(KEY.public_key, "616c706861", PROOF, suite="praos")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected bytes, got int"):
        klero.verify(KEY.public_key, b"alpha", 7, suite="praos")  # type: ignore[arg-type]
    good = (KEY.public_key, b"alpha", PROOF)
    bad: list[Any] = [(KEY.public_key, "alpha", PROOF), good[:2], [*good, None, None], None, {}]
    for claim in [*bad, "abc", b"abc", range(10**12)]:
        with pytest.raises(TypeError, match="claim 1: expected"):
            klero.verify_many([good, claim], suite="praos")
    with pytest.raises(TypeError, match="alpha 1: expected bytes, got str"):
        KEY.prove_many([b"", ""])  # type: ignore[list-item]


def test_an_unknown_suite_is_refused() -> None:
    with pytest.raises(ValueError, match="prao.*praos"):
        klero.verify(KEY.public_key, b"alpha", PROOF, suite="prao")
    with pytest.raises(TypeError, match="suite"):
        klero.verify(KEY.public_key, b"alpha", PROOF, suite=3)  # type: ignore[arg-type]


def test_an_error_of_an_iterator_is_raised() -> None:
    def claims() -> Iterator[tuple[bytes, bytes, bytes]]:
        yield (KEY.public_key, b"alpha", PROOF)
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        klero.verify_many(claims(), suite="praos")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_bytes_get_one_verdict(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(CASES))

    def changed(part: bytes) -> bytes:
        new = bytearray(part)
        for _ in range(data.draw(st.integers(0, 2))):
            if new:
                new[data.draw(st.integers(0, len(new) - 1))] ^= data.draw(st.integers(1, 255))
        return bytes(new[: max(0, len(new) - data.draw(st.integers(0, 1)))])

    key, alpha, proof = changed(case.key), changed(case.alpha), changed(case.proof)
    output = data.draw(st.sampled_from([None, case.output, b"", bytes(64)]))
    (many,) = klero.verify_many([(key, alpha, proof, output)], suite=case.suite)
    try:
        alone = klero.verify(key, alpha, proof, suite=case.suite, output=output)
    except klero.InvalidProof as invalid:
        assert isinstance(many, klero.InvalidProof) and many.reason == invalid.reason
    else:
        assert many == alone
