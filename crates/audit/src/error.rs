//! Why an audit could not run to its end.

use std::path::{Path, PathBuf};

use klero_cardano::{NetworkError, Nonce, OpenError, StateError, WalkError};

use crate::check::Check;

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
    /// A nonce that the caller gives is not the one that the network is known to have.
    #[error(
        "the nonce of epoch {epoch} of {network} is known to be {known}, but {given} was given"
    )]
    EpochNonce {
        /// The epoch.
        epoch: u64,
        /// The nonce that the caller gives.
        given: Nonce,
        /// The name of the network.
        network: String,
        /// The known nonce.
        known: Nonce,
    },
    /// The stake of an epoch is given ([`Audit::stake`](crate::Audit::stake)), and is in the ledger
    /// state as well.
    #[error(
        "the stake of epoch {epoch} is given, and is in the ledger state as well: expected one of the two"
    )]
    StakeTwice {
        /// The epoch.
        epoch: u64,
    },
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
    /// The audits that made the state left out a check that is asked for now.
    #[error(
        "state {}: it covers only {}, and this audit is to check {} as well; leave these out, or \
         begin a new state file",
        path.display(), list(before), list(new)
    )]
    MoreChecks {
        /// The file.
        path: PathBuf,
        /// The checks that were made.
        before: Vec<Check>,
        /// Those that were not.
        new: Vec<Check>,
    },
    /// KES signatures are to be checked, and the network's genesis file does not say how long a
    /// key lives.
    #[error(
        "the Shelley genesis file has no slotsPerKESPeriod and maxKESEvolutions; to check KES \
         signatures, give the network's whole genesis file"
    )]
    KesPeriods,
    /// The observer returned [`Stop::Abort`](crate::Stop::Abort).
    #[error("the audit was aborted")]
    Aborted,
}

fn list(checks: &[Check]) -> String {
    match checks {
        [] => "nothing".into(),
        _ => checks
            .iter()
            .map(|check| check.name())
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The name of a state file, where the error does not say it.
fn name(path: &Path, error: &StateError) -> String {
    match error {
        StateError::Read(_) | StateError::Write(_) => ": ".into(),
        _ => format!(" {}: ", path.display()),
    }
}
