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
//! Three rooms, which import one way:
//!
//! ```text
//! chain (era, network, nonce, header, claim) <- disk (files, chunks, index) <- walk (events, doubt)
//! ```

pub mod chain;
pub mod disk;
mod limits;
pub mod walk;

pub use chain::{
    ActiveSlots, Cert, Claim, ClaimKind, Era, EraStarts, Header, Lottery, Network, NetworkError,
    Nonce, NonceState, Place, Protocol, Vrf,
};
pub use disk::{
    Fault, FaultKind, HeaderState, Immutable, IndexFile, Location, Note, NoteKind, OpenError,
    Warning, WarningKind,
};
/// A BLAKE2b hash, of 32 bytes for blocks and nonces, 28 for keys; as text it is hexadecimal.
pub use pallas_crypto::hash::Hash;
pub use walk::{
    Block, Claims, Doubt, Event, LastBlock, Leadership, SavedState, Start, StateError, Walk,
    WalkError,
};
