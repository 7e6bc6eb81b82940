//! A strict reader of the three files of every chunk.

use std::fs;
use std::path::Path;

use klero_forge::Position;
use pallas_traverse::MultiEraBlock;

/// A block as the files have it.
pub struct Stored {
    pub chunk: u64,
    /// Relative slot 0 of its chunk.
    pub boundary: bool,
    /// As the secondary index says: the slot, or of a boundary block the epoch.
    pub listed: u64,
    pub bytes: Vec<u8>,
}

impl Stored {
    /// Where a writer puts it.
    pub fn position(&self) -> Position {
        match self.boundary {
            true => Position::Boundary(self.listed),
            false => Position::Slot(self.listed),
        }
    }
}

fn be<const N: usize>(bytes: &[u8]) -> u64 {
    bytes[..N]
        .iter()
        .fold(0, |n, byte| n << 8 | u64::from(*byte))
}

/// Reads a database and asserts that chunks and both indexes agree in every byte.
pub fn read(dir: &Path, chunk_slots: u64) -> Vec<Stored> {
    let chunks = fs::read_dir(dir).unwrap().count() / 3;
    let mut blocks = Vec::new();
    for chunk in 0..chunks as u64 {
        let file = |kind| fs::read(dir.join(format!("{chunk:05}.{kind}"))).unwrap();
        let (data, primary, secondary) = (file("chunk"), file("primary"), file("secondary"));
        assert_eq!(primary[0], 1);
        let offsets: Vec<u64> = primary[1..].chunks_exact(4).map(be::<4>).collect();
        assert_eq!(1 + 4 * offsets.len(), primary.len());
        assert_eq!(offsets[0], 0);
        assert_eq!(*offsets.last().unwrap(), secondary.len() as u64);
        if chunk + 1 < chunks as u64 {
            assert_eq!(
                offsets.len() as u64,
                chunk_slots + 2,
                "chunk {chunk} is finished"
            );
        } else {
            assert!(
                (offsets.len() as u64) < chunk_slots + 2,
                "the last chunk is open"
            );
            let newest = offsets.len() - 1;
            assert!(
                offsets[newest] > offsets[newest - 1],
                "and ends with a block"
            );
        }
        let filled: Vec<u64> = (0..offsets.len() - 1)
            .filter(|r| offsets[r + 1] > offsets[*r])
            .map(|r| r as u64)
            .collect();
        let entries: Vec<&[u8]> = secondary.chunks_exact(56).collect();
        assert_eq!(filled.len(), entries.len());
        assert_eq!(56 * entries.len(), secondary.len());
        for (i, (relative, entry)) in filled.iter().zip(&entries).enumerate() {
            assert_eq!(offsets[*relative as usize], 56 * i as u64);
            let start = be::<8>(entry) as usize;
            let end = entries
                .get(i + 1)
                .map_or(data.len(), |next| be::<8>(next) as usize);
            let bytes = data[start..end].to_vec();
            let listed = be::<8>(&entry[48..]);
            let boundary = *relative == 0;
            assert_eq!(
                listed,
                if boundary {
                    chunk
                } else {
                    chunk * chunk_slots + relative - 1
                }
            );
            assert_eq!(be::<4>(&entry[12..]) as u32, crc32fast::hash(&bytes));

            let block = MultiEraBlock::decode(&bytes).unwrap();
            let header = block.header();
            let (offset, size) = (
                be::<2>(&entry[8..]) as usize,
                be::<2>(&entry[10..]) as usize,
            );
            assert_eq!(&bytes[offset..offset + size], header.cbor());
            assert_eq!(entry[16..48], *block.hash());
            blocks.push(Stored {
                chunk,
                boundary,
                listed,
                bytes,
            });
        }
        assert!(!entries.is_empty() || data.is_empty());
    }
    blocks
}
