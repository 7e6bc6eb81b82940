//! Why a file is not a ledger state that this version reads.

use std::io;
use std::path::PathBuf;

use klero_leader::BadInput;
use klero_support::ReadError;

/// The reason why a ledger state could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file cannot be opened.
    #[error(transparent)]
    File(#[from] ReadError),
    /// The bytes are not those that the node wrote.
    #[error(
        "the CRC-32 is {found} ({found:08x}), expected {expected} ({expected:08x}), as in {}",
        file.display()
    )]
    Checksum {
        /// The CRC-32 of the state; with a file `meta` that covers them, of state and tables.
        found: u32,
        /// That in the file.
        expected: u32,
        /// The file beside the state.
        file: PathBuf,
    },
    /// A file beside the state that should have its CRC-32 is not understood.
    #[error("{}: {reason}", file.display())]
    UnknownChecksum {
        /// The file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// The state is that of the beginning of a chain.
    #[error("the ledger state is whole, but has no last block: expected one after a block")]
    NoLastBlock,
    /// Reading failed.
    #[error("byte {at} of the ledger state cannot be read: {error}")]
    Io {
        /// How many bytes were read.
        at: u64,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The bytes end too early.
    #[error("the ledger state ends at byte {at}, where {place} should be")]
    Ends {
        /// How many bytes there are.
        at: u64,
        /// What should have followed.
        place: String,
    },
    /// It is of a layout that is not known, or contradicts itself.
    #[error("byte {at} of the ledger state, {place}: expected {expected}, found {found}")]
    Unexpected {
        /// The first byte of what was found.
        at: u64,
        /// The part of the state.
        place: String,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The stake that decides in an epoch contradicts itself.
    #[error("the ledger state's stake of epoch {epoch}: {error}")]
    Stake {
        /// The epoch.
        epoch: u64,
        /// What is wrong with it.
        error: BadInput,
    },
}
