//! Why an audit could not run to its end.

use std::path::{Path, PathBuf};

use klero_cardano::{NetworkError, OpenError, StateError, WalkError};

/// Why there is no report. What is wrong with a chain is no error: it is in the report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The directory is not an ImmutableDB, or cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No network was given, and the files do not say which it is.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The audit cannot start: the database is of another network, or does not begin with the
    /// first block.
    #[error(transparent)]
    Walk(WalkError),
    /// The state file cannot be read or written, or does not belong to this chain.
    #[error("state{}{error}", name(path, error))]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<StateError>,
    },
    /// The directory of the state file does not exist.
    #[error("state {}: no directory {}", path.display(), dir.display())]
    StateDirectory {
        /// The file.
        path: PathBuf,
        /// The directory.
        dir: PathBuf,
    },
    /// The observer returned [`Stop::Abort`](crate::Stop::Abort).
    #[error("the audit was aborted")]
    Aborted,
}

/// The name of a state file, where the error does not say it.
fn name(path: &Path, error: &StateError) -> String {
    match error {
        StateError::Read(_) | StateError::Write(_) => ": ".into(),
        _ => format!(" {}: ", path.display()),
    }
}
