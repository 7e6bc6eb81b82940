//! The chain itself, independent of how it is stored: eras, networks, headers, nonces, and the claims of
//! headers.

pub(crate) mod claim;
pub(crate) mod counters;
pub(crate) mod decode;
pub(crate) mod era;
mod fields;
pub(crate) mod hash;
pub(crate) mod header;
pub(crate) mod kes;
pub(crate) mod leadership;
pub(crate) mod network;
pub(crate) mod nonce;
pub(crate) mod overlay;
mod text;

pub use claim::{Claim, ClaimKind};
pub use counters::{Bounds, Counters};
pub use era::{Era, Protocol};
pub use header::{BadHeader, Cert, Header, Lottery, Place, Vrf};
pub use kes::{InvalidKes, KesClaim, KesPeriods, OperationalCertificate, Signed, Signing};
pub use leadership::Leadership;
pub use network::{EraStarts, Network, NetworkError};
pub use nonce::{Nonce, NonceState};
pub use overlay::{Decentralization, Delegate, Turn};
pub use text::BadText;
