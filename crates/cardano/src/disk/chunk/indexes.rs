//! What is found about the index files of a chunk, once its blocks are known: those that could not
//! be read, then what is wrong with the others.

use crate::chain::header::Header;
use crate::disk::chunk::files::Chunk;
use crate::disk::index::{self, Complaints, IndexContent};
use crate::disk::item::{Crc, Item};
use crate::finding::{Fault, Finding, IndexFile};

/// The findings about both index files of a chunk with these items. `complaints` are about the
/// secondary index; `unchecked` blocks have no entry in it.
pub(super) fn findings(
    chunk: &Chunk<'_>,
    items: &[Item],
    complaints: &Complaints,
    unchecked: u64,
) -> Vec<Item> {
    let Chunk {
        secondary, primary, ..
    } = chunk;
    let mut findings = Vec::new();
    let mut find = |fault| findings.push(Item::OfIndex(Finding::in_chunk(chunk.number, fault)));
    for (file, content) in [
        (IndexFile::Secondary, secondary),
        (IndexFile::Primary, primary),
    ] {
        if let IndexContent::Unread(why) = content {
            let why = why.clone();
            let file = Some(file);
            find(Fault::Io { file, why });
        }
    }
    // An empty chunk needs no index.
    let is_empty = chunk.file.length() == 0;
    if matches!(secondary, IndexContent::Missing) && !is_empty {
        find(missing(IndexFile::Secondary));
    }
    if let Some(what) = complaints.first() {
        find(damaged(IndexFile::Secondary, what.into()));
    }
    match primary {
        IndexContent::Missing if is_empty => {}
        IndexContent::Missing => find(missing(IndexFile::Primary)),
        IndexContent::TooLong(what) => find(damaged(IndexFile::Primary, what.clone())),
        IndexContent::Bytes(bytes) => {
            if let Err(what) = check_primary(chunk, items, bytes) {
                find(damaged(IndexFile::Primary, what));
            }
        }
        IndexContent::Unread(_) => {}
    }
    if unchecked > 0 {
        find(Fault::CrcUnchecked { blocks: unchecked });
    }
    findings
}

/// Compares the primary index, if every block of the chunk is known: after a fault there is
/// nothing to compare it with.
fn check_primary(chunk: &Chunk<'_>, items: &[Item], bytes: &[u8]) -> Result<(), String> {
    let mut filled = Vec::with_capacity(items.len());
    for item in items {
        let Item::Block(block) = item else {
            return Ok(());
        };
        let (Ok(Header { place, .. }), Crc::Holds | Crc::Unknown) = (&block.header, block.crc)
        else {
            return Ok(());
        };
        let Some(relative) = place.slot.checked_sub(chunk.first_slot()) else {
            return Ok(());
        };
        filled.push(if place.boundary {
            0
        } else {
            relative.saturating_add(1)
        });
    }
    index::check_primary(bytes, &filled, chunk.rules.chunk_size, chunk.newest)
}

fn missing(file: IndexFile) -> Fault {
    Fault::Index { file, what: None }
}

fn damaged(file: IndexFile, what: String) -> Fault {
    let what = Some(what);
    Fault::Index { file, what }
}
