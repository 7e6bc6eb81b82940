"""ECVRF on edwards25519 in every form in use: one proof or ten million."""

from . import token
from ._errors import AuditError, InvalidProof, TableError
from ._klero import (
    FINDINGS,
    Audit,
    SecretKey,
    Table,
    Verifier,
    __version__,
    audit,
    below,
    check_public_key,
    evaluate_table,
    proof_to_hash,
    prove_table,
    public_key_from_encoded,
    public_key_to_envelope,
    suites,
    verify,
    verify_many,
    verify_table,
)
from ._values import Columns, Epoch, Suite

__all__ = [
    "FINDINGS",
    "Audit",
    "AuditError",
    "Columns",
    "Epoch",
    "InvalidProof",
    "SecretKey",
    "Suite",
    "Table",
    "TableError",
    "Verifier",
    "__version__",
    "audit",
    "below",
    "check_public_key",
    "evaluate_table",
    "proof_to_hash",
    "prove_table",
    "public_key_from_encoded",
    "public_key_to_envelope",
    "suites",
    "token",
    "verify",
    "verify_many",
    "verify_table",
]
