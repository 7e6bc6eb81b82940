"""The exceptions of the package."""

from typing import Optional


class InvalidProof(Exception):
    """The verdict on a claim that is invalid. ``reason`` says why."""

    @property
    def reason(self) -> str:
        """Why the claim is invalid, in the words of every Klero library."""
        return str(self.args[0])


class TableError(ValueError):
    """A table cannot be verified, proved or evaluated: the message names the column or the row."""


class AuditError(Exception):
    """A chain cannot be audited. What is wrong with a chain is no error: it is in the audit."""


class InvalidToken(Exception):
    """A token is invalid, or a request or statement about one. ``reason`` says why."""

    @property
    def reason(self) -> str:
        """Why the token is invalid."""
        return str(self.args[0])


class Refused(Exception):
    """A valid token does not allow a request: ``block`` is the number of the block that refuses (None
    is the seal, which is for one audience), ``caveat`` the text of its caveat (escaped, and cut after
    200 bytes; of a block of bytes their number, of a revoked one its id), ``reason`` says why."""

    def __init__(self, block: Optional[int], caveat: str, reason: str) -> None:
        super().__init__(block, caveat, reason)
        self.block = block
        self.caveat = caveat
        self.reason = reason

    def __str__(self) -> str:
        place = "seal" if self.block is None else f"block {self.block}"
        return f"{place}: {self.caveat}: {self.reason}"


InvalidToken.__module__ = Refused.__module__ = "klero.token"
for _error in (AuditError, InvalidProof, TableError):
    _error.__module__ = "klero"
