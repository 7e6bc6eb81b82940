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
    /// The bytes are not the bytes that the node wrote.
    #[error(
        "the CRC-32 is {found} ({found:08x}), expected {expected} ({expected:08x}), as in {}",
        file.display()
    )]
    Checksum {
        /// The CRC-32 of the state, or of the state and the tables if the file `meta` covers both.
        found: u32,
        /// The CRC-32 in `file`.
        expected: u32,
        /// The file beside the state that contains the expected CRC-32.
        file: PathBuf,
    },
    /// A file beside the state, which should contain the state's CRC-32, cannot be used.
    #[error("{}: {reason}", file.display())]
    UnknownChecksum {
        /// The file.
        file: PathBuf,
        /// The reason why the file cannot be used.
        reason: String,
    },
    /// The state is from the beginning of a chain, before any block.
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
    /// The state has an unknown layout, or contradicts itself.
    #[error("byte {at} of the ledger state, {place}: expected {expected}, found {found}")]
    Unexpected {
        /// The position of the first byte of the item that was found.
        at: u64,
        /// The part of the state that was being read.
        place: String,
        /// The item or value that should be there.
        expected: String,
        /// The item or value that is there.
        found: String,
    },
    /// The stake that decides who may lead in an epoch contradicts itself.
    #[error("the ledger state's stake of epoch {epoch}: {error}")]
    Stake {
        /// The epoch.
        epoch: u64,
        /// The contradiction.
        error: BadInput,
    },
}
