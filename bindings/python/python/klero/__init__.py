"""ECVRF on edwards25519 in every form in use: one proof or ten million."""

from . import token
from ._errors import AuditError, InvalidProof, TableError
from ._klero import (
    Audit,
    Epoch,
    Finding,
    SecretKey,
    Suite,
    Table,
    audit,
    evaluate_table,
    prove_table,
    public_key_from_envelope,
    public_key_to_envelope,
    suites,
    verify,
    verify_many,
    verify_table,
)

__all__ = [
    "Audit",
    "AuditError",
    "Epoch",
    "Finding",
    "InvalidProof",
    "SecretKey",
    "Suite",
    "Table",
    "TableError",
    "audit",
    "evaluate_table",
    "prove_table",
    "public_key_from_envelope",
    "public_key_to_envelope",
    "suites",
    "token",
    "verify",
    "verify_many",
    "verify_table",
]
