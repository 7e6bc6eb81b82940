//! The errors that occur when a network is made or recognized.

use std::path::PathBuf;

use klero_support::ReadError;

/// The reason why a network could not be made or recognized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A file that describes a network cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The facts about a network have a wrong form or an impossible value, or `protocolMagicId` cannot be
    /// read. The text describes the problem.
    #[error("{0}")]
    Content(String),
    /// No file identifies the network to which a database belongs.
    #[error(
        "cannot tell the network: there is no protocolMagicId or shelley-genesis.json in or \
         beside {}",
        dir.display()
    )]
    Unknown {
        /// The directory of the database.
        dir: PathBuf,
    },
    /// The node's directory belongs to a network that is not built in, and has no Shelley genesis file.
    #[error(
        "{} says network magic {magic}, which is not built in: give its Shelley genesis file",
        path.display()
    )]
    UnknownMagic {
        /// The file that contains the magic.
        path: PathBuf,
        /// The magic.
        magic: u32,
    },
}
