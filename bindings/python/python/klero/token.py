"""Attenuable tokens: blocks of bytes that a holder can add to offline and nobody can take away.

The issuer signs the first block, each holder can add one that narrows the token, and a verifier
needs only the issuer's public key. Take rights from the first block alone: whoever held the token
may have written the others.
"""

from ._errors import InvalidToken
from ._klero import TokenBlock, TokenContent, TokenPublicKey, TokenSecretKey
from ._klero import append_token as append
from ._klero import inspect_token as inspect
from ._klero import mint_token as mint
from ._klero import seal_token as seal
from ._klero import verify_token as verify

__all__ = [
    "InvalidToken",
    "TokenBlock",
    "TokenContent",
    "TokenPublicKey",
    "TokenSecretKey",
    "append",
    "inspect",
    "mint",
    "seal",
    "verify",
]
