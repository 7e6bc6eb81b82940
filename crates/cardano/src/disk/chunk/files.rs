//! The three files of a chunk, and where in the chain something in them is.

use std::io;

use crate::disk::entry::Entry;
use crate::disk::index::IndexContent;
use crate::disk::item::Item;
use crate::disk::pieces::Pieces;
use crate::disk::rules::Rules;
use crate::finding::{Fault, Finding, Location};

/// The three files of a chunk, and what is needed to read them.
pub(crate) struct Chunk<'a> {
    pub number: u64,
    pub file: Pieces<'a>,
    pub primary: IndexContent<'a>,
    pub secondary: IndexContent<'a>,
    pub rules: Rules,
    /// The last chunk, which a node may still be writing.
    pub newest: bool,
}

impl Chunk<'_> {
    /// The first slot of the chunk.
    pub(super) fn first_slot(&self) -> u64 {
        self.rules.first_slot(self.number)
    }

    /// A fault by which blocks may be lost.
    pub(super) fn fault(&self, fault: Fault, offset: u64, entry: Option<Entry>) -> Box<Finding> {
        let slot = entry
            .as_ref()
            .and_then(|entry| entry.slot_in(self.first_slot(), self.rules.chunk_size));
        let at = Location {
            chunk: self.number,
            offset: Some(offset),
            slot,
            hash: entry.map(|entry| entry.hash),
            ..Location::default()
        };
        Box::new(Finding::new(fault, at))
    }

    /// The chunk file could not be read to its end.
    pub(super) fn not_read(&self, error: &io::Error) -> Item {
        let fault = Fault::Io {
            file: None,
            why: error.to_string(),
        };
        Item::Lost(Finding::in_chunk(self.number, fault))
    }
}
