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
    let chunks = fs::read_dir(dir).unwrap().count() as u64 / 3;
    let mut blocks = Vec::new();
    for chunk in 0..chunks {
        let file = |kind| fs::read(dir.join(format!("{chunk:05}.{kind}"))).unwrap();
        let (data, secondary) = (file("chunk"), file("secondary"));
        let filled = filled(&file("primary"), chunk_slots, chunk + 1 < chunks);
        let entries: Vec<&[u8]> = secondary.chunks_exact(56).collect();
        assert_eq!(filled.len(), entries.len());
        assert_eq!(56 * entries.len(), secondary.len());
        for (i, (&(relative, offset), entry)) in filled.iter().zip(&entries).enumerate() {
            assert_eq!(offset, 56 * i as u64);
            let end = entries
                .get(i + 1)
                .map_or(data.len(), |next| be::<8>(next) as usize);
            let bytes = data[be::<8>(entry) as usize..end].to_vec();
            check_entry(entry, &bytes);
            let boundary = relative == 0;
            let listed = be::<8>(&entry[48..]);
            let expected = match boundary {
                true => chunk,
                false => chunk * chunk_slots + relative - 1,
            };
            assert_eq!(listed, expected);
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

/// The relative slots with a block, and the offsets of their entries, by the primary index. Only the
/// last chunk is not finished.
fn filled(primary: &[u8], chunk_slots: u64, is_finished: bool) -> Vec<(u64, u64)> {
    assert_eq!(primary[0], 1);
    let offsets: Vec<u64> = primary[1..].chunks_exact(4).map(be::<4>).collect();
    assert_eq!(1 + 4 * offsets.len(), primary.len());
    assert_eq!(offsets[0], 0);
    let newest = offsets.len() - 1;
    let slots = offsets.len() as u64;
    if is_finished {
        assert_eq!(slots, chunk_slots + 2, "a chunk is finished");
    } else {
        assert!(slots < chunk_slots + 2, "the last chunk is open");
        assert!(
            offsets[newest] > offsets[newest - 1],
            "and ends with a block"
        );
    }
    let filled = (0..newest).filter(|&slot| offsets[slot + 1] > offsets[slot]);
    let filled: Vec<_> = filled.map(|slot| (slot as u64, offsets[slot])).collect();
    assert_eq!(offsets[newest], 56 * filled.len() as u64);
    filled
}

/// Asserts that an entry of the secondary index is that of a block.
fn check_entry(entry: &[u8], bytes: &[u8]) {
    assert_eq!(be::<4>(&entry[12..]) as u32, crc32fast::hash(bytes));
    let block = MultiEraBlock::decode(bytes).unwrap();
    let header = block.header();
    let (offset, size) = (
        be::<2>(&entry[8..]) as usize,
        be::<2>(&entry[10..]) as usize,
    );
    assert_eq!(&bytes[offset..offset + size], header.cbor());
    assert_eq!(entry[16..48], *block.hash());
}
