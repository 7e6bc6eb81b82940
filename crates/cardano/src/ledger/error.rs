//! Why a file is not a ledger state that this version reads.

use std::io;

use klero_files::ReadError;

/// Why a ledger state could not be read.
///
/// ```
/// use klero_cardano::LedgerState;
/// // [1, [[...], ...]]: five eras, the last of which is Alonzo.
/// let error = LedgerState::read(&[0x82, 1, 0x82, 0x85][..]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "byte 3 of the ledger state, eras of the ledger: \
///      expected 6 (up to Babbage) or 7 (up to Conway), found 5 (up to Alonzo)"
/// );
/// let error = LedgerState::read(&[0x82, 1, 0x82][..]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the ledger state ends at byte 3, where eras of the ledger should be"
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file cannot be opened.
    #[error(transparent)]
    File(#[from] ReadError),
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
}
