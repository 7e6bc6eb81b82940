//! A block of which only the first part is there, as while a node is writing it.
//!
//! Any bytes can end too early. These must be what a well-formed block begins with: its
//! frame and header decode as far as they go, and its body is shorter than the header says.

use crate::cbor;
use crate::header::Header;

/// The first part of a block.
pub(crate) struct Begun {
    /// Its header, if that is complete.
    pub header: Option<Box<Header>>,
}

impl Begun {
    /// `bytes`, in which decoding runs out, as the first part of a block; `None` if something
    /// else is wrong with them.
    pub(crate) fn new(bytes: &[u8], byron_epoch_length: u64) -> Option<Self> {
        let Ok(frame) = cbor::frame(bytes) else {
            return cbor::ends_in_header(bytes).then_some(Self { header: None });
        };
        let header = bytes.get(frame.header.clone())?;
        let header = Header::decode(frame.tag, header, byron_epoch_length).ok()?;
        let body = (bytes.len() - frame.header.end) as u64;
        // Up to two more bytes end lists of open length.
        let fits = header
            .body_size
            .is_none_or(|size| body < size.saturating_add(2));
        fits.then(|| Self {
            header: Some(Box::new(header)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_first_part_of_every_real_block() {
        for line in include_str!("../testdata/blocks.txt").lines() {
            let Some((name, block)) = line.split_once(' ').filter(|_| !line.starts_with('#'))
            else {
                continue;
            };
            let block = hex::decode(block).unwrap();
            let frame = cbor::frame(&block).unwrap();
            for cut in 1..block.len() {
                let begun = Begun::new(&block[..cut], 21_600);
                let begun = begun.unwrap_or_else(|| panic!("{name} cut at {cut}"));
                assert_eq!(begun.header.is_some(), cut >= frame.header.end);
            }
        }
    }

    #[test]
    fn what_only_looks_like_one() {
        let lines = include_str!("../testdata/blocks.txt").lines();
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
        // A text in place of the header, and of its first number; a string
        // that is longer than any header.
        assert!(!cut(100, &|bytes| bytes[3] = 0x62));
        assert!(!cut(100, &|bytes| bytes[5] = 0x60));
        assert!(!cut(4, &|bytes| bytes
            .splice(3.., [0x5b, 1])
            .for_each(drop)));
        // A header that is complete, and none.
        assert!(!cut(header.end + 1, &|bytes| bytes[header.start] = 0x42));
        // A body that is longer than the header says.
        assert!(!cut(header.end, &|bytes| {
            bytes.push(0x9f);
            bytes.resize(bytes.len() + block.len(), 0x01);
        }));
    }
}
