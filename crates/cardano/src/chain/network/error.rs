//! Why a network could not be made or recognized.

use std::path::PathBuf;

use klero_leader::BadInput;
use klero_support::ReadError;

use crate::chain::era::Era;
use crate::limits::NETWORK_NUMBER;

/// Why a network could not be made or recognized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The genesis file is not JSON of the expected form.
    #[error("Shelley genesis: {0}")]
    Json(serde_json::Error),
    /// `activeSlotsCoeff` is not a number above 0 and up to 1 whose numerator and denominator are below
    /// 2^64.
    #[error(
        "Shelley genesis: active slots coefficient {0:?}: expected a decimal number above 0, at most 1, of no more than 19 digits when shortened, or an object with numerator and denominator"
    )]
    Coefficient(String),
    /// A node could not decide by `activeSlotsCoeff` who may lead.
    #[error("Shelley genesis: {0}")]
    ActiveSlots(#[from] BadInput),
    /// A number is out of its range.
    #[error("{name} is {value}, expected {least} to {NETWORK_NUMBER}")]
    Range {
        /// The number's name.
        name: &'static str,
        /// What it is.
        value: u64,
        /// The least it may be.
        least: u64,
    },
    /// The hash of a delegate's VRF key is not a 32-byte hash.
    #[error("Shelley genesis: VRF key {0:?} of a delegate is not 64 hexadecimal digits")]
    DelegateKey(String),
    /// A genesis key or its delegate is not a 28-byte hash.
    #[error("Shelley genesis: delegate {0:?} is not 56 hexadecimal digits")]
    Delegate(String),
    /// An era begins before the one it follows.
    #[error("{era} is said to begin in epoch {start}, before {before} in epoch {before_start}")]
    Order {
        /// The era.
        era: Era,
        /// Its first epoch.
        start: u64,
        /// The era before it.
        before: Era,
        /// The first epoch of that.
        before_start: u64,
    },
    /// A file that describes a network cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file that describes a network cannot be used.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<NetworkError>,
    },
    /// The file that `klero chain demo` writes beside a genesis file is not of its form.
    #[error("not the eras' first epochs and the extra entropy: {0}")]
    Description(serde_json::Error),
    /// The file that should say which network a database is of cannot be read.
    #[error("cannot tell the network: {0}")]
    Magic(ReadError),
    /// No file says which network a database is of.
    #[error(
        "cannot tell the network: there is no protocolMagicId or shelley-genesis.json in or \
         beside {}",
        dir.display()
    )]
    Unknown {
        /// The directory of the database.
        dir: PathBuf,
    },
    /// The file that should say which network a database is of says something else.
    #[error("cannot tell the network: {}: {found:?} is not a network magic", path.display())]
    NotAMagic {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// The node's directory is of a network that is not built in.
    #[error(
        "{} says network magic {magic}, which is not built in: give its Shelley genesis file",
        path.display()
    )]
    UnknownMagic {
        /// The file that says it.
        path: PathBuf,
        /// The magic.
        magic: u32,
    },
}

impl NetworkError {
    /// Whether there is no file that says which network a database is of.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, NetworkError::Magic(error) if error.is_not_found())
    }
}
