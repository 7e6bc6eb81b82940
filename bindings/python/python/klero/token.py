"""Attenuable tokens, which a holder can narrow offline and nobody can widen.

The issuer signs the first block, with rights and caveats; each holder can add one that narrows the
token, without any key; and a verifier needs only the issuer's public key. `check` returns the
rights if all caveats hold for a request. Take rights from it alone: whoever held the token may
have written all blocks but the first.

A caveat is a text, in exactly one form:

    before 2026-11-23T06:15:00Z   now is earlier
    after 2026-11-23T06:15:00Z    now is this time or later
    audience NAME                 the service is NAME
    path /files                   the path of the request is this one or below it
    method GET HEAD               the method is one of these
    NAME = VALUE                  the field NAME of the request is VALUE
    NAME in A B C                 the field is one of these, none of which has a space
    NAME at most 100              the field is an integer, and not above this one
    NAME at least 1               the field is an integer, and not below this one
    vouched ed25519:... TEXT      the third party with this key stated TEXT, in a later block
    depth 2                       at most 2 blocks follow this one
"""

from ._errors import InvalidToken, Refused
from ._klero import (
    Challenge,
    RelyingParty,
    TokenBlock,
    TokenContent,
    TokenPublicKey,
    TokenSecretKey,
    append_statement,
)
from ._klero import append_token as append
from ._klero import check_token as check
from ._klero import inspect_token as inspect
from ._klero import make_statement as statement
from ._klero import mint_token as mint
from ._klero import narrow_token as narrow
from ._klero import request_statement as request
from ._klero import seal_token as seal
from ._klero import verify_token as verify

__all__ = [
    "Challenge",
    "InvalidToken",
    "Refused",
    "RelyingParty",
    "TokenBlock",
    "TokenContent",
    "TokenPublicKey",
    "TokenSecretKey",
    "append",
    "append_statement",
    "check",
    "inspect",
    "mint",
    "narrow",
    "request",
    "seal",
    "statement",
    "verify",
]
