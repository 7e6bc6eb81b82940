//! stub

pub mod claim;
pub mod era;
pub mod header;
pub mod leader;
pub mod network;
pub mod nonce;

pub use claim::{Claim, ClaimKind};
pub use era::{Era, Protocol};
pub use header::{Cert, Header, Lottery, Place, Vrf};
pub use leader::ActiveSlots;
pub use network::{EraStarts, Network, NetworkError};
pub use nonce::{Nonce, NonceState};
pub use pallas_crypto::hash::Hash;
