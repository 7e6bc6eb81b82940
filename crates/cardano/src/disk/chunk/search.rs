//! A block that no index entry proves: where it ends, by its own bytes, and whether that can be so.
//!
//! A damaged length may let a block end anywhere. An entry that contradicts such an end is believed
//! if no block can begin there.

use std::io;

use crate::disk::budget::Budget;
use crate::disk::cbor::{self, NotABlock};
use crate::disk::entry::Entry;
use crate::disk::pieces::Pieces;

/// A block by its own bytes.
pub(super) struct Found {
    /// Its length.
    pub size: Result<usize, NotABlock>,
    /// The index has another length for it, and another CRC-32.
    contradicted: bool,
}

impl Found {
    /// The block that begins at `start` in a chunk `file`, where it may have the index `entry`; the
    /// next entry is at `resume`, the next proven one at `anchor`.
    pub(super) fn search(
        (file, budget): (&mut Pieces<'_>, &mut Budget),
        start: u64,
        entry: Option<&Entry>,
        resume: u64,
        anchor: u64,
    ) -> io::Result<Self> {
        if budget.is_spent() {
            let reason = "the search for blocks in this chunk was given up";
            return Ok(Err(NotABlock::Other(reason.into())).into());
        }
        let window = file.get(start, anchor)?;
        let size = match cbor::search(window, budget) {
            Ok(size) => size,
            Err(error) => return Ok(Err(error).into()),
        };
        let mut found = Found::from(Ok(size));
        let (item, rest) = window.split_at_checked(size).unwrap_or((window, &[]));
        if let Some(entry) = entry
            && start + size as u64 != resume
        {
            budget.spend(size);
            found.contradicted = crc32fast::hash(item) != entry.crc;
            // If no block can begin where this one ends, it is a damaged block.
            if found.contradicted
                && !rest.is_empty()
                && let Err(error) = cbor::search_frame(rest, budget)
            {
                found.size = Err(error);
            }
        }
        Ok(found)
    }

    /// Whether the block may be another, or none.
    pub(super) fn is_doubtful(&self) -> bool {
        self.contradicted || self.size.is_err()
    }
}

impl From<Result<usize, NotABlock>> for Found {
    fn from(size: Result<usize, NotABlock>) -> Self {
        Self {
            size,
            contradicted: false,
        }
    }
}
