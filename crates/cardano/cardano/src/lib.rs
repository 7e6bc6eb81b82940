//! From a Cardano node's ImmutableDB to a stream of VRF claims.
//!
//! Every block of Cardano since Shelley carries one or two VRF proofs. The message of a proof contains the
//! nonce of the block's epoch, which depends on the VRF outputs of earlier blocks. This crate reads the chunk
//! files of a node from genesis on (or from a [point](Resume) on). It compares every block with its index
//! entry and its predecessor, and computes the nonces. It returns each proof with its message, as a claim. It
//! does not verify claims: for the nonces, it assumes that the VRF outputs in headers are right. So it can
//! run far ahead of verification, and claims can be verified in any order on any number of cores.
//!
//! ```no_run
//! use klero_cardano::{Event, Immutable, Network, Start, Walk};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = "/var/lib/cardano/db".as_ref();
//! let db = Immutable::open(dir)?;
//! for event in Walk::new(&db, Network::detect(dir)?, Start::Genesis)? {
//!     let Event::Block(block) = event else { continue };
//!     for claim in &block.claims {
//!         let verdict = klero::Verifier::new(klero::Suite::PRAOS).verify(&claim.as_claim());
//!         assert!(verdict.is_ok(), "slot {}", block.place.slot);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`Finding`] is a fault in the blocks, a warning that concerns only an index, or a note about bytes that
//! were not read (see [`Severity`]). No bytes on disk cause a panic. Reading a file needs limited memory,
//! however long the file is. The limit depends on the kind of the file.
//!
//! There are six modules besides `limits`. Each module imports only the modules above it:
//!
//! ```text
//! chain (era, network, nonce, header, claims, counters)
//!   <- fault, finding (what can be wrong, and where)
//!   <- disk (files, chunks, index)
//!     <- walk (events, nonces along the chain)
//!       <- ledger (a node's ledger state, and the chain beside it)
//! ```
#![warn(unreachable_pub, unnameable_types)]

mod chain;
mod disk;
mod fault;
mod finding;
mod ledger;
mod limits;
mod walk;

pub use chain::{
    BadHeader, BadText, Bounds, Cert, Claim, ClaimKind, Counters, Decentralization, Delegate, Era,
    EraStarts, Header, InvalidKes, KesClaim, KesPeriods, Leadership, Lottery, Network,
    NetworkError, Nonce, NonceState, OperationalCertificate, Place, Protocol, Signed, Signing,
    Turn, Vrf,
};
pub use disk::{Blocks, Chunks, Immutable, OpenError, ReadChunk, Source, UnreadChunk, Wanted};
pub use fault::{Fault, HeaderState, IndexFile, Severity};
pub use finding::{Finding, Location};
pub use ledger::{Checksum, LedgerError, LedgerState};
/// A BLAKE2b hash: 28 bytes for cold and genesis keys, 32 bytes for everything else. Its text form is
/// hexadecimal.
pub use pallas_crypto::hash::Hash;
pub use walk::{Block, Event, LastBlock, Resume, Start, Walk, WalkError};
