"""The exceptions of the package."""


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
    """A valid token does not allow a request: ``block`` is the number of the block that refuses,
    ``caveat`` the text of its caveat (escaped, and cut after 200 bytes; of a block of bytes their
    number), ``reason`` says why."""

    def __init__(self, block: int, caveat: str, reason: str) -> None:
        super().__init__(block, caveat, reason)
        self.block = block
        self.caveat = caveat
        self.reason = reason

    def __str__(self) -> str:
        return f"block {self.block}: {self.caveat}: {self.reason}"


InvalidToken.__module__ = Refused.__module__ = "klero.token"
for _error in (AuditError, InvalidProof, TableError):
    _error.__module__ = "klero"
