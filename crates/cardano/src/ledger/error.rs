//! The errors of reading a ledger state.

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
        /// The CRC-32 of the state; of state and tables, if the file `meta` covers both.
        found: u32,
        /// The CRC-32 in the file.
        expected: u32,
        /// The file beside the state.
        file: PathBuf,
    },
    /// A file beside the state that should have the state's CRC-32 is not understood.
    #[error("{}: {reason}", file.display())]
    UnknownChecksum {
        /// The file.
        file: PathBuf,
        /// The reason why it is not understood.
        reason: String,
    },
    /// The state is that of the beginning of a chain.
    #[error("the ledger state is whole, but has no last block: expected one after a block")]
    NoLastBlock,
    /// Reading failed.
    #[error("byte {at} of the ledger state cannot be read: {error}")]
    Io {
        /// The number of bytes read before the error.
        at: u64,
        /// The error of the reader.
        #[source]
        error: io::Error,
    },
    /// The bytes end too early.
    #[error("the ledger state ends at byte {at}, where {place} should be")]
    Ends {
        /// The number of bytes in the state.
        at: u64,
        /// The part that should have followed.
        place: String,
    },
    /// The state is of a layout that is not known, or contradicts itself.
    #[error("byte {at} of the ledger state, {place}: expected {expected}, found {found}")]
    Unexpected {
        /// The first byte of the item that was found.
        at: u64,
        /// The part of the state.
        place: String,
        /// The item or value that should be there.
        expected: String,
        /// The item or value that is there.
        found: String,
    },
    /// The stake that decides in an epoch contradicts itself.
    #[error("the ledger state's stake of epoch {epoch}: {error}")]
    Stake {
        /// The epoch.
        epoch: u64,
        /// The contradiction.
        error: BadInput,
    },
}
