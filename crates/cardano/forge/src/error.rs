//! The errors of forging a chain.

use core::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use klero_cardano::NetworkError;
use pallas_codec::minicbor;

/// The reason why a chain could not be forged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForgeError {
    /// No chain can follow the recipe.
    #[error("recipe: {0}")]
    Recipe(String),
    /// The recipe's genesis file or era starts were refused.
    #[error("recipe: {0}")]
    Network(#[from] NetworkError),
    /// A file could not be written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error that the system reported.
        error: io::Error,
    },
    /// The bytes to store do not have the shape of a block.
    #[error("not a block: {0}")]
    NotABlock(minicbor::decode::Error),
    /// The slot of a block, or the epoch of a boundary block, does not come after the last block written.
    #[error("slot or epoch {0} is not after the last block written")]
    Order(u64),
    /// A block could not be encoded.
    #[error("encoding a block: {0}")]
    Encode(#[from] minicbor::encode::Error<Infallible>),
}

impl ForgeError {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            error,
        }
    }
}
