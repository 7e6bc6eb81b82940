from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Optional, Protocol, Union, final

from typing_extensions import Buffer, CapsuleType, Self, TypeAlias

from ._errors import InvalidProof
from ._values import Columns, Epoch, Suite
from .token import Challenge, RelyingParty, TokenContent

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = [
    "FINDINGS",
    "Audit",
    "SecretKey",
    "Table",
    "TokenPublicKey",
    "TokenSecretKey",
    "Verifier",
    "__version__",
    "append_statement",
    "append_token",
    "audit",
    "below",
    "check_challenge",
    "check_public_key",
    "check_relying_party",
    "check_token",
    "evaluate_table",
    "inspect_token",
    "make_statement",
    "mint_token",
    "narrow_token",
    "proof_to_hash",
    "prove_table",
    "public_key_from_encoded",
    "public_key_to_envelope",
    "request_statement",
    "seal_token",
    "suites",
    "verify",
    "verify_many",
    "verify_table",
    "verify_token",
]

FINDINGS: tuple[str, ...]
__version__: str

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

_Table: TypeAlias = Union[_Stream, _Array]
_Suite: TypeAlias = Union[str, Suite]
_Claim: TypeAlias = Sequence[Optional[Buffer]]
_Verdict: TypeAlias = Literal[
    "all valid", "something is wrong", "not all read", "not all checked", "interrupted"
]
_Roots: TypeAlias = Union[TokenPublicKey, Mapping[int, TokenPublicKey]]

@final
class Verifier:
    def __new__(cls, suite: _Suite, *, keep_keys: int = 0) -> Self: ...
    @property
    def suite(self) -> str: ...
    def verify(
        self, public: Buffer, alpha: Buffer, proof: Buffer, *, output: Optional[Buffer] = None
    ) -> bytes: ...
    def verify_many(
        self, claims: Iterable[_Claim], *, threads: Optional[int] = None
    ) -> list[Union[bytes, InvalidProof]]: ...

@final
class SecretKey:
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @staticmethod
    def generate(suite: _Suite) -> SecretKey: ...
    @staticmethod
    def from_seed(suite: _Suite, seed: Buffer) -> SecretKey: ...
    @staticmethod
    def from_libsodium(suite: _Suite, secret: Buffer) -> SecretKey: ...
    @staticmethod
    def from_encoded(text: str, suite: _Suite | None = None) -> SecretKey: ...
    def to_envelope(self) -> str: ...
    def to_libsodium(self) -> bytes: ...
    def to_seed(self) -> bytes: ...
    @property
    def public_key(self) -> bytes: ...
    @property
    def suite(self) -> str: ...
    def prove(self, alpha: Buffer) -> tuple[bytes, bytes]: ...
    def prove_many(
        self, alphas: Iterable[Buffer], *, threads: Optional[int] = None
    ) -> list[tuple[bytes, bytes]]: ...
    def evaluate(self, alpha: Buffer) -> bytes: ...
    def evaluate_many(
        self, alphas: Iterable[Buffer], *, threads: Optional[int] = None
    ) -> list[bytes]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> Any: ...

@final
class Table:
    def to_pyarrow(self) -> pyarrow.Table: ...
    def to_polars(self) -> polars.DataFrame: ...
    def to_pandas(self) -> pandas.DataFrame: ...
    def to_reader(self) -> pyarrow.RecordBatchReader: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> CapsuleType: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...

@final
class Audit:
    @property
    def network(self) -> str: ...
    @property
    def progress(self) -> float: ...
    @property
    def findings(self) -> list[dict[str, Any]]: ...
    @property
    def verdict(self) -> Optional[_Verdict]: ...
    @property
    def tip(self) -> Optional[tuple[int, bytes]]: ...
    @property
    def tied_slot(self) -> Optional[int]: ...
    @property
    def experimental(self) -> Optional[bool]: ...
    def stop(self) -> None: ...
    def run(self) -> Optional[_Verdict]: ...
    def table(self) -> Table: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Epoch: ...

def suites() -> list[Suite]: ...
def verify(
    public: Buffer,
    alpha: Buffer,
    proof: Buffer,
    *,
    suite: _Suite,
    output: Optional[Buffer] = None,
) -> bytes: ...
def verify_many(
    claims: Iterable[_Claim], *, suite: _Suite, threads: Optional[int] = None
) -> list[Union[bytes, InvalidProof]]: ...
def below(output: Buffer, n: int) -> int: ...
def proof_to_hash(proof: Buffer, *, suite: _Suite) -> bytes: ...
def check_public_key(public: Buffer) -> None: ...
def public_key_from_encoded(text: str) -> tuple[bytes, str | None]: ...
def public_key_to_envelope(public: Buffer, suite: _Suite) -> str: ...
def verify_table(
    table: _Table,
    *,
    suite: Optional[_Suite] = None,
    columns: Optional[Columns] = None,
    threads: Optional[int] = None,
) -> Table: ...
def prove_table(
    table: _Table,
    *,
    key: Optional[SecretKey] = None,
    suite: Optional[_Suite] = None,
    columns: Optional[Columns] = None,
    threads: Optional[int] = None,
) -> Table: ...
def evaluate_table(
    table: _Table,
    *,
    key: Optional[SecretKey] = None,
    suite: Optional[_Suite] = None,
    columns: Optional[Columns] = None,
    threads: Optional[int] = None,
) -> Table: ...
def audit(
    path: Union[str, PathLike[str]],
    *,
    network: Optional[str] = None,
    shelley_genesis: Union[str, PathLike[str], None] = None,
    era_starts: Optional[Mapping[str, int]] = None,
    byron_k: Optional[int] = None,
    state: Union[str, PathLike[str], None] = None,
    only: Optional[Sequence[str]] = None,
    expect: Optional[Sequence[Union[str, PathLike[str]]]] = None,
    require_anchor: bool = False,
    stake: Union[str, PathLike[str], None] = None,
    stake_epoch: Optional[int] = None,
    stake_offset: int = 0,
    decentralization: Optional[Mapping[int, str]] = None,
    threads: Optional[int] = None,
) -> Audit: ...

@final
class TokenSecretKey:
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @staticmethod
    def generate(scheme: str = "chain") -> TokenSecretKey: ...
    @staticmethod
    def from_seed(scheme: str, seed: Buffer) -> TokenSecretKey: ...
    def to_seed(self) -> bytes: ...
    @property
    def public_key(self) -> TokenPublicKey: ...
    @property
    def scheme(self) -> str: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __reduce__(self) -> Any: ...

@final
class TokenPublicKey:
    def __new__(cls, scheme: str, key: Buffer) -> Self: ...
    @staticmethod
    def from_text(text: str) -> TokenPublicKey: ...
    @property
    def scheme(self) -> str: ...
    def __bytes__(self) -> bytes: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def check_challenge(nonce: Buffer, audience: str, time: int) -> bytes: ...
def check_relying_party(
    id: str, origins: Iterable[str], *, user_verification: bool
) -> tuple[str, ...]: ...
def mint_token(
    key: TokenSecretKey, rights: Buffer, *, caveats: Iterable[str] = (), root_id: int = 0
) -> str: ...
def narrow_token(
    token: str,
    caveats: Iterable[str],
    *,
    roots: Optional[_Roots] = None,
    relying_party: Optional[RelyingParty] = None,
) -> str: ...
def append_token(
    token: str,
    payload: Buffer,
    *,
    roots: Optional[_Roots] = None,
    relying_party: Optional[RelyingParty] = None,
) -> str: ...
def request_statement(
    token: str,
    *,
    roots: Optional[_Roots] = None,
    relying_party: Optional[RelyingParty] = None,
) -> str: ...
def make_statement(request: str, key: TokenSecretKey, payload: Buffer) -> str: ...
def append_statement(
    token: str,
    statement: str,
    *,
    roots: Optional[_Roots] = None,
    relying_party: Optional[RelyingParty] = None,
) -> str: ...
def seal_token(
    token: str,
    challenge: Challenge,
    *,
    roots: Optional[_Roots] = None,
    relying_party: Optional[RelyingParty] = None,
) -> str: ...
def check_token(
    token: str,
    *,
    roots: _Roots,
    challenge: Optional[Challenge],
    revoked: Union[Iterable[Buffer], Callable[[bytes], bool]],
    now: int,
    audience: Optional[str] = None,
    path: Optional[str] = None,
    method: Optional[str] = None,
    fields: Union[Mapping[str, str], Iterable[tuple[str, str]], None] = None,
    accept: Optional[Callable[[bytes], bool]] = None,
    relying_party: Optional[RelyingParty] = None,
) -> bytes: ...
def verify_token(
    token: str,
    *,
    roots: _Roots,
    challenge: Optional[Challenge],
    relying_party: Optional[RelyingParty] = None,
) -> TokenContent: ...
def inspect_token(token: str) -> TokenContent: ...
