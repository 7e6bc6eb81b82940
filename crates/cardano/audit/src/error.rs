//! Errors of audits that could not be completed, and of inputs that could not be read.

use klero_cardano::{NetworkError, OpenError, WalkError};

/// The reason why an audit has no report, or an input cannot be read. Faults of a chain are in the report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The directory is not an ImmutableDB, or cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No network was given, and the files of the database do not identify one.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The audit cannot start, because the database is of another network or does not begin with the first
    /// block.
    #[error(transparent)]
    Walk(WalkError),
    /// A text or a file cannot be read as anchors ([`read_anchors`](crate::read_anchors)). The message has
    /// the name of a file, but repeats no text of a file or an anchor.
    #[error("{0}")]
    Anchor(String),
    /// Two anchors contradict each other ([`Audit::expect`](crate::Audit::expect)), or an anchor contradicts
    /// a known nonce of the network.
    #[error("{0}")]
    Contradiction(String),
    /// [`Audit::stake`](crate::Audit::stake) gives the stake of an epoch that the ledger state has as well.
    #[error(
        "the stake of epoch {epoch} is given, and is in the ledger state as well: expected one of the two"
    )]
    StakeTwice {
        /// The epoch whose stake is given twice.
        epoch: u64,
    },
    /// A text or file is not a [`State`](crate::State), a state file cannot be read or written, or a state
    /// does not belong to this chain or to these checks.
    #[error("{0}")]
    State(String),
    /// KES signatures are to be checked, but the network's genesis file lacks the lifetime of KES keys.
    #[error(
        "the Shelley genesis file has no slotsPerKESPeriod and maxKESEvolutions; to check KES \
         signatures, give the network's whole genesis file"
    )]
    KesPeriods,
    /// The observer returned [`Stop::Abort`](crate::Stop::Abort).
    #[error("the audit was aborted")]
    Aborted,
}
