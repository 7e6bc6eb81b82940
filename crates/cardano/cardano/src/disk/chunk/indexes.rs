//! The findings about a chunk's index files, made after the chunk's blocks are known. First come errors of
//! reading, then missing and damaged files, and last the blocks whose CRC-32 is unchecked.

use crate::chain::header::Header;
use crate::disk::chunk::Reader;
use crate::disk::index;
use crate::disk::item::{Crc, Item};
use crate::fault::{Fault, IndexFile};
use crate::finding::Finding;

impl Reader {
    /// The findings about both index files of the chunk.
    pub(super) fn index_findings(&self) -> Vec<Item> {
        let complaint = self.listing.complaint.as_ref();
        let complaint = complaint.map(|(_, reason)| reason.clone());
        let wrong = self.check_primary().err();
        let secondary = index::fault(IndexFile::Secondary, &self.chunk.secondary, complaint);
        let primary = index::fault(IndexFile::Primary, &self.chunk.primary, wrong);
        let mut faults: Vec<Fault> = [secondary, primary].into_iter().flatten().collect();
        if self.chunk.file.length() == 0 {
            // An empty chunk needs no index.
            faults.retain(|fault| !matches!(fault, Fault::Index { what: None, .. }));
        }
        faults.sort_by_key(|fault| !matches!(fault, Fault::Io { .. }));
        let is_unchecked =
            |item: &&Item| matches!(item, Item::Block(block) if block.crc == Crc::Unknown);
        let blocks = self.items.iter().filter(is_unchecked).count() as u64;
        if blocks > 0 {
            faults.push(Fault::CrcUnchecked { blocks });
        }
        let find = |fault| Item::OfIndex(Finding::in_chunk(self.chunk.number, fault));
        faults.into_iter().map(find).collect()
    }

    /// Compares the primary index with the blocks. If any item is a finding, a damaged block or a block
    /// before the chunk's first slot, the filled slots are not certain, and nothing is compared.
    fn check_primary(&self) -> Result<(), String> {
        let Ok(bytes) = &self.chunk.primary else {
            return Ok(());
        };
        let mut filled = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let Item::Block(block) = item else {
                return Ok(());
            };
            let (Ok(Header { place, .. }), Crc::Holds | Crc::Unknown) = (&block.header, block.crc)
            else {
                return Ok(());
            };
            let Some(relative) = place.slot.checked_sub(self.chunk.first_slot()) else {
                return Ok(());
            };
            filled.push(if place.boundary {
                0
            } else {
                relative.saturating_add(1)
            });
        }
        let slots = self.chunk.rules.chunk_size;
        index::check_primary(bytes, &filled, slots, self.chunk.newest)
    }
}
