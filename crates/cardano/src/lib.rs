//! From a Cardano node's ImmutableDB to a stream of VRF claims.
//!
//! Every block of Cardano since Shelley carries one or two VRF proofs. What they prove depends
//! on the randomness of their epoch, and that on the outputs of all blocks before. This crate
//! reads the chunk files of a node from genesis on (or from a [`SavedState`]), holds every
//! block against its index and against the block before it, carries the nonces along, and hands
//! out each proof with the message it is about. It verifies none: outputs are taken at their
//! word, so that this side runs far ahead of verification and the claims can be checked in any
//! order on any number of cores.
//!
//! ```no_run
//! use klero_cardano::{Claims, Event, Immutable, Network, Start, Walk};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = "/var/lib/cardano/db".as_ref();
//! let db = Immutable::open(dir)?;
//! for event in Walk::new(&db, Network::detect(dir)?, Start::Genesis)? {
//!     if let Event::Block(block) = event
//!         && let Claims::Made(claims) = &block.claims
//!     {
//!         for claim in claims {
//!             let verdict = klero::Suite::PRAOS.verify(&claim.as_claim());
//!             assert!(verdict.is_ok(), "slot {}", block.place.slot);
//!         }
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! What can go wrong is told apart: a [`Fault`] is about blocks, a [`Warning`] about an index
//! alone, and a [`Note`] about what was not read. No bytes on disk make any of this panic, and
//! no file, however long it says it is, takes more memory than its kind needs.
//!
//! ```text
//! immutable -> chunk (pieces, cbor, index, header) -> walk (evolve: nonce, doubt) -> block (claim, leader)
//!                        network, era: facts that all of them use
//! ```

mod begun;
pub mod block;
mod budget;
mod cbor;
mod chunk;
pub mod claim;
pub mod doubt;
pub mod era;
mod evolve;
pub mod fault;
pub mod header;
pub mod immutable;
mod index;
pub mod leader;
pub mod network;
pub mod nonce;
pub mod note;
mod pieces;
pub mod start;
pub mod state;
pub mod walk;

pub use block::{Block, Claims, Event, Leadership};
pub use claim::{Claim, ClaimKind};
pub use doubt::Doubt;
pub use era::{Era, Protocol};
pub use fault::{Fault, FaultKind, HeaderState, IndexFile, Location, Warning, WarningKind};
pub use header::{Cert, Header, Lottery, Place, Vrf};
pub use immutable::{Immutable, OpenError};
pub use leader::ActiveSlots;
pub use network::{EraStarts, Network, NetworkError};
pub use nonce::{Nonce, NonceState};
pub use note::{Note, NoteKind};
/// A BLAKE2b hash, of 32 bytes for blocks and nonces, 28 for keys; as text it is hexadecimal.
pub use pallas_crypto::hash::Hash;
pub use start::{Start, WalkError};
pub use state::{LastBlock, SavedState, StateError};
pub use walk::Walk;
