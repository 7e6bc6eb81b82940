//! Comparison of the blocks of a chunk with their headers and index entries, after the blocks are hashed.
//!
//! Hashes are computed for all blocks of a chunk together, in lanes. Then each block gets its hash and its
//! contribution to the nonces, and its header is compared with its body and index entry.

use std::ops::Range;

use pallas_crypto::hash::Hash;

use crate::chain::header::{Header, Vrf, hash_prefix, set_hash};
use crate::chain::nonce::contributions;
use crate::disk::body;
use crate::disk::cbor::Frame;
use crate::disk::item::{Crc, Item, Stored};
use crate::disk::rules::Rules;

/// A block whose digests were requested.
pub(super) struct Unhashed {
    /// The index of the block in the list of items.
    item: usize,
    frame: Frame,
    /// The index of the header's digest.
    header: usize,
    /// The indexes of the digests of the body's parts, and the total length of these parts.
    body: Option<(Range<usize>, u64)>,
}

impl Unhashed {
    /// Requests the digests of a block's header and of the `parts` of its body (`None` if the body is not
    /// checked, or not whole). `item` is the block's index in the list of items. `hash` requests the digest
    /// of a prefix and a range of the block, and returns the digest's index.
    pub(super) fn ask(
        item: usize,
        frame: Frame,
        parts: Option<Vec<Range<usize>>>,
        mut hash: impl FnMut(&'static [u8], &Range<usize>) -> usize,
    ) -> Self {
        let header = hash(hash_prefix(frame.tag), &frame.header);
        let body = parts.map(|parts| {
            let digests = parts.iter().map(|part| hash(&[], part)).count();
            let size = parts.iter().map(|part| part.len() as u64).sum();
            (header + 1..header + 1 + digests, size)
        });
        Self {
            item,
            frame,
            header,
            body,
        }
    }
}

/// Sets the hashes and contributions of the blocks in `items`, and compares the blocks with their headers and
/// index entries. For the first wrong index entry, returns the byte at which its block begins, and the error.
pub(super) fn compare_blocks(
    rules: &Rules,
    blocks: &[Unhashed],
    digests: &[Hash<32>],
    items: &mut [Item],
) -> Option<(u64, String)> {
    let mut complaint = None;
    let parts = |block: &Unhashed| {
        let (places, _) = block.body.clone()?;
        digests.get(places)
    };
    let bodies = body::hashes(blocks.iter().map(parts));
    for (block, body_hash) in blocks.iter().zip(bodies) {
        let Some(Item::Block(stored)) = items.get_mut(block.item) else {
            continue;
        };
        set_hash(&mut stored.header, digests[block.header]);
        let Ok(header) = &stored.header else { continue };
        let size = block.body.as_ref().map_or(0, |(_, size)| *size);
        let body = body::compare(header, body_hash, size);
        let body_holds = body_hash.is_some() && body_hash == header.body_hash;
        if let Crc::Fails { body, .. } = &mut stored.crc {
            *body = body_holds;
        }
        if let Some(what) = wrong_entry(stored, &block.frame, rules.byron_epoch_length) {
            let at = stored.offset;
            let what = format!("wrong {what} for the block at byte {at}");
            complaint.get_or_insert((at, what));
        }
        // A wrong body is not reported if a wrong CRC-32 explains it.
        if rules.wanted.bodies && (body_holds || !matches!(stored.crc, Crc::Fails { .. })) {
            stored.body = body;
        }
    }
    let vrfs: Vec<&Vrf> = items.iter().filter_map(Item::vrf).collect();
    let mut contributions = contributions(&vrfs).into_iter();
    for item in items {
        if item.vrf().is_some()
            && let Item::Block(stored) = item
        {
            stored.contribution = contributions.next();
        }
    }
    complaint
}

/// Compares a block with its index entry. Returns the part of the entry that is wrong. If the CRC-32 differs,
/// but the index has the hash of the header and the header has the hash of the body, the block is intact, and
/// it is the CRC-32 in the entry that is wrong.
fn wrong_entry(
    stored: &mut Stored,
    frame: &Frame,
    byron_epoch_length: u64,
) -> Option<&'static str> {
    let (Some(entry), Ok(Header { place, .. })) = (&stored.entry, &stored.header) else {
        return None;
    };
    let slot = if place.boundary {
        place.slot / byron_epoch_length
    } else {
        place.slot
    };
    match stored.crc {
        Crc::Fails { body: true, .. } if entry.hash == place.hash => {
            stored.crc = Crc::Holds;
            Some("CRC-32")
        }
        Crc::Fails { .. } | Crc::Unknown => None,
        Crc::Holds if entry.hash != place.hash => Some("hash"),
        Crc::Holds if entry.slot != slot => Some("slot"),
        Crc::Holds => {
            let range = &frame.header;
            let is_there = usize::from(entry.header_offset) == range.start
                && usize::from(entry.header_size) == range.len();
            (!is_there).then_some("header's place")
        }
    }
}
