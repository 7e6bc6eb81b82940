//! The first part of a block, as it is on disk while a node is writing the block.
//!
//! A damaged block can also end too early. To exclude most damage, the bytes are accepted only if, as far as
//! they reach, frame, header and body have the right form, and the body is not longer than the header says.

use pallas_crypto::hash::Hash;

use crate::chain::decode::{beginning, runs_out};
use crate::chain::era::Era;
use crate::chain::header::{Header, Place};
use crate::disk::cbor::{self, NotABlock};
use crate::limits::HEADER;

/// The fields of a [`Place`], as far as the first part of a block contains them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Begun {
    pub era: Option<Era>,
    /// True if the block is an epoch boundary block of Byron.
    pub boundary: bool,
    pub number: Option<u64>,
    pub slot: Option<u64>,
    /// The hash of the predecessor. `Some(None)` means that the block is the first of its chain.
    pub prev_hash: Option<Option<Hash<32>>>,
}

impl Begun {
    /// Decodes the first part of a block. `bytes` may end too early. Returns `None` if anything else is wrong
    /// with the bytes.
    pub(crate) fn new(bytes: &[u8], byron_epoch_length: u64) -> Option<Self> {
        let Ok(frame) = cbor::frame(bytes) else {
            return Begun::in_header(bytes);
        };
        let header = bytes.get(frame.header.clone())?;
        let header = Header::decode(frame.tag, header, byron_epoch_length).ok()?;
        let body = (bytes.len() - frame.header.end) as u64;
        // Up to two breaks, the ends of lists of indefinite length, can follow the body.
        let fits = header
            .body_size
            .is_none_or(|size| body < size.saturating_add(2));
        (fits && cbor::body_begins(bytes, &frame)).then(|| Begun::from(header.place))
    }

    /// Decodes the first part of a block from bytes that end before its header ends.
    fn in_header(bytes: &[u8]) -> Option<Self> {
        let (number, slot, prev_hash) = match cbor::header_on(bytes) {
            Ok((tag, header)) => {
                let is_cut = header.len() <= HEADER && runs_out(tag, header);
                is_cut.then(|| beginning(tag, header))?
            }
            Err(NotABlock::Incomplete) => (None, None, None),
            Err(_) => return None,
        };
        let tag = cbor::tag(bytes);
        Some(Self {
            era: tag.and_then(Era::from_tag),
            boundary: tag == Some(0),
            number,
            slot,
            prev_hash,
        })
    }
}

impl From<Place> for Begun {
    fn from(place: Place) -> Self {
        Self {
            era: Some(place.era),
            boundary: place.boundary,
            number: Some(place.number),
            slot: Some(place.slot),
            prev_hash: Some(place.prev_hash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_first_part_of_every_real_block() {
        for line in include_str!("../../testdata/blocks.txt").lines() {
            let Some((name, block)) = line.split_once(' ').filter(|_| !line.starts_with('#'))
            else {
                continue;
            };
            let block = hex::decode(block).unwrap();
            let frame = cbor::frame(&block).unwrap();
            for cut in 1..block.len() {
                let begun = Begun::new(&block[..cut], 21_600);
                let begun = begun.unwrap_or_else(|| panic!("{name} cut at {cut}"));
                let header = &block[frame.header.clone()];
                let whole = Begun::from(Header::decode(frame.tag, header, 21_600).unwrap().place);
                if cut >= frame.header.end {
                    assert_eq!(begun, whole);
                }
                // Each field is found early. A field that is found has its value in the whole block.
                let early = |found: bool, from| assert_eq!(found, cut >= from, "{name} {cut}");
                early(begun.era.is_some(), 2);
                assert!(begun.era.is_none() || begun.era == whole.era);
                if whole.era != Some(Era::Byron) {
                    assert!(begun.number.is_none() || begun.number == whole.number);
                    assert!(begun.slot.is_none() || begun.slot == whole.slot);
                    assert!(begun.prev_hash.is_none() || begun.prev_hash == whole.prev_hash);
                    let known = begun.slot.is_some() && begun.prev_hash.is_some();
                    assert!(known || cut < 60, "{name} {cut}");
                }
            }
        }
    }

    #[test]
    fn what_only_looks_like_one() {
        let lines = include_str!("../../testdata/blocks.txt").lines();
        let line = lines
            .into_iter()
            .find(|line| line.starts_with("testnet-conway"));
        let (_, block) = line.unwrap().split_once(' ').unwrap();
        let block = hex::decode(block).unwrap();
        let header = cbor::frame(&block).unwrap().header;
        let cut = |length: usize, change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = block[..length].to_vec();
            change(&mut bytes);
            Begun::new(&bytes, 21_600).is_some()
        };
        assert!(cut(header.end + 1, &|_| {}));
        // Instead of the header, a text. Instead of the header's first number, a text. Instead of the header,
        // a byte string that is longer than any header.
        assert!(!cut(100, &|bytes| bytes[3] = 0x62));
        assert!(!cut(100, &|bytes| bytes[5] = 0x60));
        assert!(!cut(4, &|bytes| bytes
            .splice(3.., [0x5b, 1])
            .for_each(drop)));
        // A complete item that is not a header.
        assert!(!cut(header.end + 1, &|bytes| bytes[header.start] = 0x42));
        // Body parts that are neither lists nor maps, or that are in the wrong order.
        let body = |bytes: &[u8]| {
            let begun = [&block[..header.end], bytes].concat();
            Begun::new(&begun, 21_600).is_some()
        };
        for bytes in [
            &[0x01, 0x01][..],
            &[0xf4, 0xf4, 0xf4],
            &[0x1b, 0xff],
            &[0xa0],
            &[0x80, 0xa0],
            &[0x80, 0x80, 0x80],
            &[0x80, 0x80, 0xa0, 0xa0],
            &[0xff],
        ] {
            assert!(!body(bytes), "{bytes:02x?}");
        }
        for bytes in [
            &[0x9f][..],
            &[0x80, 0x81],
            &[0x80, 0x80, 0xbf],
            &[0x80, 0x80, 0xa0],
        ] {
            assert!(body(bytes), "{bytes:02x?}");
        }
        // A tag that no known block has.
        assert!(Begun::new(&[0x82, 0x09], 21_600).is_none());
        // A body that is longer than the header says.
        assert!(!cut(header.end, &|bytes| {
            bytes.push(0x9f);
            bytes.resize(bytes.len() + block.len(), 0x01);
        }));
    }
}
