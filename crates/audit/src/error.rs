//! Why an audit could not run to its end.

use klero_cardano::{NetworkError, OpenError, WalkError};

use crate::state::BadState;

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
    /// A contradiction among the anchors ([`Audit::expect`](crate::Audit::expect)), or with a nonce that the
    /// network is known to have.
    #[error("{0}")]
    Contradiction(String),
    /// The stake of an epoch is given ([`Audit::stake`](crate::Audit::stake)), and is in the ledger
    /// state as well.
    #[error(
        "the stake of epoch {epoch} is given, and is in the ledger state as well: expected one of the two"
    )]
    StakeTwice {
        /// The epoch.
        epoch: u64,
    },
    /// The state file cannot be read or written, or does not belong to this chain or to these checks.
    #[error(transparent)]
    State(#[from] BadState),
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
