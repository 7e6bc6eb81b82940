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
    """A token is invalid. ``reason`` says why."""

    @property
    def reason(self) -> str:
        """Why the token is invalid."""
        return str(self.args[0])


InvalidToken.__module__ = "klero.token"
for _error in (AuditError, InvalidProof, TableError):
    _error.__module__ = "klero"
