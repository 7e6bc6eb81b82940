//! Errors of audits that could not run to their end, and of inputs that could not be read.

use klero_cardano::{NetworkError, OpenError, WalkError};

/// The reason why there is no report. A fault of a chain is no error: it is in the report.
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
    /// A text or a file cannot be read as anchors ([`read_anchors`](crate::read_anchors)). The message names
    /// the file, and repeats no text.
    #[error("{0}")]
    Anchor(String),
    /// Two anchors contradict each other ([`Audit::expect`](crate::Audit::expect)), or one contradicts a
    /// known nonce of the network.
    #[error("{0}")]
    Contradiction(String),
    /// The stake of an epoch is given ([`Audit::stake`](crate::Audit::stake)), and is in the ledger
    /// state as well.
    #[error(
        "the stake of epoch {epoch} is given, and is in the ledger state as well: expected one of the two"
    )]
    StakeTwice {
        /// The epoch whose stake is given twice.
        epoch: u64,
    },
    /// A text or a file is not a [`State`](crate::State), the state file cannot be read or written, or it
    /// does not belong to this chain or to these checks.
    #[error("{0}")]
    State(String),
    /// KES signatures are to be checked, but the network's genesis file does not say how long a
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
