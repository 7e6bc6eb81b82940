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

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional

from ._errors import InvalidToken, Refused
from ._klero import (
    TokenPublicKey,
    TokenSecretKey,
    append_statement,
    check_challenge,
    check_relying_party,
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

if TYPE_CHECKING:
    from typing_extensions import Buffer

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


@dataclass(frozen=True, init=False, repr=False)
class Challenge:
    """A challenge that a verifier sets, so that it accepts a token for one use: a nonce of 16 or more
    random bytes that the verifier has never used, the verifier's name, and the time of the
    challenge in seconds since 1970. Holder and verifier build the same one. The verifier decides how
    long it is good, and accepts each nonce once. Raises ValueError if the nonce is empty.

    >>> import secrets, time
    >>> from klero import token
    >>> challenge = token.Challenge(secrets.token_bytes(16), "shop", int(time.time()))
    >>> issuer = token.TokenSecretKey.generate()
    >>> sealed = token.seal(token.mint(issuer, b"account 17"), challenge)
    >>> token.verify(sealed, roots=issuer.public_key, challenge=challenge).sealed
    True
    """

    nonce: bytes
    audience: str
    time: int

    def __init__(self, nonce: Buffer, audience: str, time: int) -> None:
        nonce = check_challenge(nonce, audience, time)
        vars(self).update(nonce=nonce, audience=audience, time=time)

    def __repr__(self) -> str:
        return f"<klero.token.Challenge of {json.dumps(self.audience)} at {self.time}>"


@dataclass(frozen=True, init=False, repr=False)
class RelyingParty:
    """For whom a verifier accepts what passkeys sign: the domain `id` that they belong to (`rp.id`), and
    the `origins` of the pages that may ask them, as browsers write them, without a slash at the end.
    With `user_verification` the passkey must have verified its user, for example by a PIN or a
    fingerprint, and not only have noticed that somebody is there. Raises ValueError if there are no
    origins.

    >>> from klero import token
    >>> pages = ["https://example.org", "https://www.example.org"]
    >>> party = token.RelyingParty("example.org", pages, user_verification=True)
    >>> issuer = token.TokenSecretKey.generate()
    >>> minted = token.mint(issuer, b"account 17")
    >>> known = {"roots": issuer.public_key, "challenge": None, "relying_party": party}
    >>> token.check(minted, now=0, revoked=(), **known)
    b'account 17'
    """

    id: str
    origins: tuple[str, ...]
    user_verification: bool

    def __init__(self, id: str, origins: Iterable[str], *, user_verification: bool) -> None:
        origins = check_relying_party(id, origins, user_verification=user_verification)
        vars(self).update(id=id, origins=origins, user_verification=user_verification)

    def __repr__(self) -> str:
        verified = ", verified users" if self.user_verification else ""
        name, origins = json.dumps(self.id), json.dumps(self.origins)
        return f"<klero.token.RelyingParty {name}, origins {origins}{verified}>"


@dataclass(frozen=True)
class TokenBlock:
    """A block of a token.

    kind              "root" (signed by the issuer), "caveats" (which narrow the token), "statement"
                      (signed by a third party) or "opaque" (bytes that mean nothing here)
    payload           bytes whose meaning is up to the application
    caveats           the caveats of a "root" or "caveats" block, one to a line
    third_party       the public key of the third party of a "statement" block, 32 or 33 bytes
    third_party_kind  how that key signs: `ed25519`, `es256` or `passkey`
    revocation_id     the identifier, 32 bytes, by which the block and every token with it is revoked
    """

    kind: str
    payload: bytes = field(repr=False)
    caveats: bytes = field(repr=False)
    third_party: Optional[bytes]
    third_party_kind: Optional[str]
    revocation_id: bytes


@dataclass(frozen=True)
class TokenContent:
    """What a token says: not verified, unless `verify` returned it.

    scheme   the name of the scheme
    root_id  the number of the root key
    sealed   whether the token answers a challenge, and nothing can be added to it
    held     whether a device has the token's last key: only the device can seal the token, and
             nothing can be added to it
    blocks   the blocks, the issuer's first
    """

    scheme: str
    root_id: int
    sealed: bool
    held: bool
    blocks: tuple[TokenBlock, ...]
