//! One thing that was found, at one place of the chain.
//!
//! To add a kind: what reading shows is a `FindingKind` of klero-cardano, raised in its `disk` or
//! `walk`; what only verification shows is a `Failure`, found by the judge or in `tally`. Then decide
//! in `Report::outcome` what follows from it, and see whether its form in the command's
//! `chain/json/finding.rs` says enough.

use std::fmt;
use std::mem::discriminant;

use klero_cardano::{Block, Difference, Finding, FindingKind, Hash, Location, Nonce, Severity};

use crate::failure::Failure;

/// One thing that was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Occurrence {
    /// What was found in reading the chain: a fault of blocks, a warning about an index, a note of
    /// what was not read.
    Read(Finding),
    /// A header fails a check.
    Failed {
        /// The block of the header.
        block: BlockId,
        /// The check, and why.
        failure: Failure,
    },
    /// The nonce of an epoch is not the one that the network is known to have, or that the caller
    /// gave.
    EpochNonce {
        /// The first block of the epoch.
        block: BlockId,
        /// The known nonce.
        expected: Nonce,
        /// The nonce of this chain.
        found: Nonce,
    },
    /// A block has the number of a checkpoint, and another hash.
    Checkpoint {
        /// The block.
        block: BlockId,
        /// Its number.
        number: u64,
        /// The hash of the checkpoint.
        expected: Hash<32>,
    },
    /// The ledger state that the caller gave says something else than the chain.
    Ledger {
        /// The block at the slot of the state's last block.
        block: BlockId,
        /// What is different.
        difference: Difference,
    },
}

/// A block, as an occurrence names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockId {
    /// Number of the chunk file; of a block of an iterator, the one that it would be in.
    pub chunk: u64,
    /// Number of the block in the iterator that it comes from, from 0 on.
    pub item: Option<u64>,
    /// The epoch.
    pub epoch: u64,
    /// The slot.
    pub slot: u64,
    /// The hash.
    pub hash: Hash<32>,
}

impl From<&Block> for BlockId {
    fn from(block: &Block) -> Self {
        Self {
            chunk: block.chunk,
            item: block.item,
            epoch: block.epoch,
            slot: block.place.slot,
            hash: block.place.hash,
        }
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            chunk,
            item,
            epoch,
            slot,
            hash,
        } = *self;
        let location = Location {
            chunk,
            item,
            slot: Some(slot),
            hash: Some(hash),
            ..Location::default()
        };
        write!(f, "epoch {epoch}, {location}")
    }
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(finding) => match finding.severity() {
                Severity::Fault => write!(f, "fault ({}): {finding}", finding.kind.name()),
                severity => write!(f, "{}: {finding}", severity.name()),
            },
            Self::Failed { block, failure } => failure.write(f, format_args!("{block}: ")),
            Self::EpochNonce {
                block,
                expected,
                found,
            } => write!(
                f,
                "epoch nonce: {block}: it is {found}, but the known one is {expected}"
            ),
            Self::Checkpoint {
                block,
                number,
                expected,
            } => write!(
                f,
                "checkpoint: {block}: it is block {number}, which the checkpoint says is {expected}"
            ),
            Self::Ledger { block, difference } => write!(f, "ledger: {block}: {difference}"),
        }
    }
}

impl Occurrence {
    /// The name of its kind: that of the [`Severity`] of what reading shows, of the
    /// [`Failure`] of a header, `epoch-nonce`, `checkpoint` or `ledger`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Read(finding) => finding.severity().name(),
            Self::Failed { failure, .. } => failure.name(),
            Self::EpochNonce { .. } => "epoch-nonce",
            Self::Checkpoint { .. } => "checkpoint",
            Self::Ledger { .. } => "ledger",
        }
    }

    /// Whether both are of one kind, wherever they are.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Read(a), Self::Read(b)) => is_like(&a.kind, &b.kind),
            (Self::Failed { failure: a, .. }, Self::Failed { failure: b, .. }) => a.is_like(b),
            (Self::EpochNonce { .. }, Self::EpochNonce { .. })
            | (Self::Checkpoint { .. }, Self::Checkpoint { .. }) => true,
            (Self::Ledger { difference: a, .. }, Self::Ledger { difference: b, .. }) => {
                discriminant(&a.fact) == discriminant(&b.fact)
            }
            _ => false,
        }
    }

    /// Merges another of the same kind. A damaged index adds up the places that it names; all
    /// other kinds stay as they are.
    pub(crate) fn merge(&mut self, other: &Self) {
        if let (Self::Read(all), Self::Read(more)) = (self, other)
            && let (
                FindingKind::IndexDamaged { places, .. },
                FindingKind::IndexDamaged { places: more, .. },
            ) = (&mut all.kind, &more.kind)
        {
            *places = places.saturating_add(*more);
        }
    }

    /// Slot and hash of its block, where they are known.
    pub fn block(&self) -> (Option<u64>, Option<Hash<32>>) {
        match self {
            Self::Read(finding) => (finding.location.slot, finding.location.hash),
            Self::Failed { block, .. }
            | Self::EpochNonce { block, .. }
            | Self::Checkpoint { block, .. }
            | Self::Ledger { block, .. } => (Some(block.slot), Some(block.hash)),
        }
    }
}

/// Whether two findings are of one kind: where they differ in what was found, only if that shows
/// how bad it is, or which file it is about.
fn is_like(a: &FindingKind, b: &FindingKind) -> bool {
    use FindingKind::{Crc, IndexDamaged, IndexMissing, UnreadIndex};
    match (a, b) {
        (Crc { header: a, .. }, Crc { header: b, .. }) => discriminant(a) == discriminant(b),
        (IndexMissing(a), IndexMissing(b)) => a == b,
        (UnreadIndex { file: a, .. }, UnreadIndex { file: b, .. }) => a == b,
        (
            IndexDamaged {
                file: a,
                reason: why_a,
                ..
            },
            IndexDamaged {
                file: b,
                reason: why_b,
                ..
            },
        ) => a == b && without_digits(why_a).eq(without_digits(why_b)),
        (a, b) => discriminant(a) == discriminant(b),
    }
}

/// What is wrong with an index, without the digits that say where.
fn without_digits(reason: &str) -> impl Iterator<Item = char> {
    reason.chars().filter(|c| !c.is_ascii_digit())
}
