//! What is found about the index files of a chunk, once its blocks are known: those that could not
//! be read, then what is wrong with the others.

use crate::chain::header::Header;
use crate::disk::chunk::files::Chunk;
use crate::disk::finding::{FindingKind, IndexFile};
use crate::disk::index::{self, Complaints, IndexContent};
use crate::disk::item::{Crc, Item};

/// The findings about both index files of a chunk with these items. `complaints` are about the
/// secondary index; `unchecked` blocks have no entry in it.
pub(super) fn findings(
    chunk: &Chunk<'_>,
    items: &[Item],
    complaints: &Complaints,
    unchecked: u64,
) -> Vec<FindingKind> {
    let Chunk {
        secondary, primary, ..
    } = chunk;
    let mut kinds = Vec::new();
    for (file, content) in [
        (IndexFile::Secondary, secondary),
        (IndexFile::Primary, primary),
    ] {
        if let IndexContent::Unread(reason) = content {
            let reason = reason.clone();
            kinds.push(FindingKind::UnreadIndex { file, reason });
        }
    }
    // An empty chunk needs no index.
    let is_empty = chunk.file.length() == 0;
    if matches!(secondary, IndexContent::Missing) && !is_empty {
        kinds.push(FindingKind::IndexMissing(IndexFile::Secondary));
    }
    if let Some(reason) = complaints.first().map(str::to_owned) {
        let places = complaints.places;
        kinds.push(FindingKind::IndexDamaged {
            file: IndexFile::Secondary,
            reason,
            places,
        });
    }
    match primary {
        IndexContent::Missing if is_empty => {}
        IndexContent::Missing => kinds.push(FindingKind::IndexMissing(IndexFile::Primary)),
        IndexContent::TooLong(reason) => kinds.push(damaged_primary(reason.clone())),
        IndexContent::Bytes(bytes) => {
            let checked = check_primary(chunk, items, bytes);
            kinds.extend(checked.err().map(damaged_primary));
        }
        IndexContent::Unread(_) => {}
    }
    if unchecked > 0 {
        kinds.push(FindingKind::CrcUnchecked { blocks: unchecked });
    }
    kinds
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

fn damaged_primary(reason: String) -> FindingKind {
    FindingKind::IndexDamaged {
        file: IndexFile::Primary,
        reason,
        places: 1,
    }
}
