"""The values of the package that have no secrets: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, TypedDict


@dataclass(frozen=True)
class Suite:
    """A form of ECVRF: the name by which calls, tables and files know it, the bytes of a proof (80, 128
    or 144), and where it is found today."""

    name: str
    proof_length: int
    used_by: str

    def __str__(self) -> str:
        return self.name


class Columns(TypedDict, total=False):
    """The names that a table has for columns of Klero, where they are others: ``{"key": "pk"}``."""

    key: str
    alpha: str
    proof: str
    output: str
    suite: str
    seed: str
    verdict: str


@dataclass(frozen=True)
class Epoch:
    """An epoch of a chain, and what was counted in it.

    number              its number
    eras                the eras of its blocks, such as "Babbage", joined by ", "
    nonce               the nonce by which its proofs are judged, in hex, as far as they are
    blocks              blocks whose header could be read
    byron_blocks        those of Byron, which carry no proof
    proofs              proofs: the sum of the next four
    valid               valid proofs
    invalid             invalid proofs
    unverifiable        proofs without a verdict, as their nonce may be wrong
    nonce_unknown       proofs about a nonce that is neither computed nor known
    at_or_above_f       leader values at or above f, with which no stake could lead
    unverifiable_since  slot of the first invalid proof or fault that casts doubt on its nonce, if
                        proofs could not be judged for that; None if nothing wrong with the chain
                        accounts for these
    leaders             blocks whose makers may lead, by the stake that was given
    narrowest_margin    the narrowest lead of a pool: its leader value, divided by the largest with
                        which it leads; None if no stake was given
    kes                 valid KES signatures
    certificates        valid operational certificates, one for each block
    bodies              block bodies that are those of their headers
    all_invalid         whatever is invalid: proofs, leader values, signatures, certificates and the
                        order of their numbers, bodies
    """

    number: int
    eras: str
    nonce: Optional[str]
    blocks: int
    byron_blocks: int
    proofs: int
    valid: int
    invalid: int
    unverifiable: int
    nonce_unknown: int
    at_or_above_f: int
    unverifiable_since: Optional[int]
    leaders: int
    narrowest_margin: Optional[float]
    kes: int
    certificates: int
    bodies: int
    all_invalid: int

    def __repr__(self) -> str:
        return (
            f"<klero.Epoch {self.number}, {self.eras}: {self.blocks} blocks, {self.proofs} proofs, "
            f"{self.valid} valid, {self.all_invalid} invalid>"
        )


for _value in (Columns, Epoch, Suite):
    _value.__module__ = "klero"
