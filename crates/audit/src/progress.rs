//! The messages of an audit to its observer, and the ways in which an observer ends it.

use std::path::Path;

use klero_cardano::{Finding, Network};

use crate::leaders::Lead;
use crate::report::{Epoch, Origin};

/// An event of an audit. Events come in order.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// The database fits the network, and the audit starts. Comes first, and once.
    Started(Started<'a>),
    /// The next part of the chain is about to be read. Comes often: an observer that polls for interrupts
    /// does so here.
    Reading,
    /// The findings in one or more chunks, which are complete now. Never empty.
    Findings(&'a [Finding]),
    /// The leads of pools, with their margins, where stake was given: of all blocks since the last event of
    /// this kind. Never empty.
    Leads(&'a [Lead]),
    /// The chain has passed an epoch, or the audit has come to its end. Comes once for each epoch; and again,
    /// with all its counts, if something is counted later, as where a block is out of place.
    Epoch {
        /// The number of the epoch.
        number: u64,
        /// The results for the epoch.
        epoch: &'a Epoch,
    },
    /// Some more blocks were read and their proofs verified.
    Verified {
        /// Blocks since the last event of this kind.
        blocks: usize,
        /// Bytes of all blocks so far, of the [`bytes`](Started::bytes) to read.
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
    /// Bytes of the chunk files to read; `None` if the blocks come from an iterator.
    pub bytes: Option<u64>,
}

/// The ways in which an observer can end an audit before the end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// In good order: nothing more is read; what was read is verified and reported.
    Interrupt,
    /// Without a report: nothing more is verified or saved.
    Abort,
}
