//! The messages of an audit to its observer, and the ways in which the observer can end the audit.

use std::path::Path;

use klero_cardano::{Finding, Network};

use crate::leaders::Lead;
use crate::report::{Epoch, Origin};

/// An event of an audit. Events of one kind come in the order of the chain, except repeated epochs.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The database fits the network, and the audit starts. This event comes first, and only once.
    Started(Started<'a>),
    /// The next part of the chain is about to be read. This event comes often, so that an observer can poll
    /// for interrupts.
    Reading,
    /// The findings in one or more chunks that are now complete. There is at least one finding.
    Findings(&'a [Finding]),
    /// Leads of pools, at least one, with their margins. Their blocks came after the last event of this kind.
    /// If no stake was given, there are no such events.
    Leads(&'a [Lead]),
    /// An epoch is over, or the audit has ended. Each epoch with a block has this event. If something is
    /// counted in the epoch later, such as a block out of place, another event has all the epoch's counts.
    Epoch {
        /// The number of the epoch.
        number: u64,
        /// The results for the epoch.
        epoch: &'a Epoch,
    },
    /// Some more blocks were read and their proofs verified.
    Verified {
        /// The number of blocks since the last event of this kind.
        blocks: usize,
        /// The bytes of all blocks so far. The total to read is [`Started::bytes`].
        bytes: u64,
    },
}

/// The network, the source and the start of an audit.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Started<'a> {
    /// The directory with the chunk files; `None` if the blocks come from an iterator.
    pub dir: Option<&'a Path>,
    /// The network of the chain.
    pub network: &'a Network,
    /// The point where the audit starts.
    pub origin: &'a Origin,
    /// The bytes of the chunk files to read; `None` if the blocks come from an iterator.
    pub bytes: Option<u64>,
}

/// The ways in which an observer can end an audit before the end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Ends with a report. Nothing more is read, but what was read is verified and reported.
    Interrupt,
    /// Ends without a report. Nothing more is verified or saved.
    Abort,
}
