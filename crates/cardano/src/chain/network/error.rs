//! The errors of making or recognizing a network.

use std::path::PathBuf;

use klero_support::ReadError;

/// The reason why a network could not be made or recognized.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A file that describes a network cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file about a network has another form, or says something that cannot be. The text names the place,
    /// and what was expected.
    #[error("{0}")]
    Content(String),
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
    /// The node's directory is of a network that is not built in.
    #[error(
        "{} says network magic {magic}, which is not built in: give its Shelley genesis file",
        path.display()
    )]
    UnknownMagic {
        /// The file that names the magic.
        path: PathBuf,
        /// The magic.
        magic: u32,
    },
}
