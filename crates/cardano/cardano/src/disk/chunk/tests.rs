//! Tests with damaged and hostile chunks and indexes.

use std::io::Write;

use super::*;
use crate::disk::rules::Wanted;
use crate::limits::SLOT;

/// Reads a chunk that has these bytes and this secondary index.
fn read(bytes: &[u8], secondary: &[u8]) -> Vec<Item> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let chunk = Chunk {
        number: 0,
        file: Pieces::new(file, bytes.len() as u64),
        primary: Ok(Vec::new()),
        secondary: Ok(secondary.to_vec()),
        rules: Rules {
            chunk_size: 21_600,
            byron_epoch_length: 21_600,
            wanted: Wanted::ALL,
        },
        newest: true,
    };
    chunk.read()
}

fn entry(offset: u64, crc: u32) -> Vec<u8> {
    let mut entry = offset.to_be_bytes().to_vec();
    entry.extend([0, 3, 0, 0]);
    entry.extend(crc.to_be_bytes());
    entry.extend([0; 40]);
    entry
}

/// A slot with a block takes less memory than [`SLOT`].
#[test]
fn memory_of_a_slot() {
    // A secondary entry is in memory up to three times: as bytes of the file, decoded, and kept.
    let index = 3 * size_of::<Entry>();
    // At the end, the items are moved to a second list, behind the warnings.
    let items = size_of::<Stored>() + 2 * size_of::<Item>();
    // A header and four body parts are five messages. Each needs memory for the request, its number in the
    // order by length, slices for the hash function, and two copies of its digest.
    let asked = size_of::<(&[u8], Range<usize>)>() + size_of::<usize>();
    let hashed = size_of::<[&[u8]; 2]>() + size_of::<&[&[u8]]>() + 2 * size_of::<[u8; 32]>();
    let memory = index + items + size_of::<Unhashed>() + 5 * (asked + hashed);
    assert!(memory < SLOT as usize, "{memory}");
}

/// These chunks would take hours to read if the work were more than a small multiple of their length.
#[test]
fn a_hostile_index_does_not_make_it_read_forever() {
    // Beginnings of blocks, each nested in the previous one. None of these blocks ends, so a search for the
    // end of any of them reads all later bytes.
    let mut bytes = [0x82, 0x06, 0x85].repeat(2_000_000);
    // A valid block follows them.
    let block = [0x82, 0x06, 0x85, 0x80, 0, 0, 0, 0];
    let mut secondary: Vec<u8> = (0..20_000).flat_map(|n| entry(3 * n, 1)).collect();
    secondary.extend(entry(bytes.len() as u64, crc32fast::hash(&block)));
    bytes.extend(block);
    let items = read(&bytes, &secondary);
    // The index leads to the valid block, and everything before it is reported.
    let blocks = |item: &&Item| matches!(item, Item::Block(_));
    assert_eq!(items.iter().filter(blocks).count(), 1);
    let faults = items.iter().filter(|item| matches!(item, Item::Lost(_)));
    assert_eq!(faults.count(), 20_000);

    // In `nested`, each header contains the next. In `alike`, whole blocks have long headers.
    let opening = [0x82, 0x06, 0x85, 0x59, 0xff, 0xf0];
    let mut nested = opening.repeat(400_000);
    nested.resize(nested.len() + 0xfff0, 0);
    let alike = [&opening[..], &[0x80; 0xfff0], &[0; 4]].concat().repeat(40);
    for bytes in [nested, alike] {
        let secondary: Vec<u8> = (1..20_000).flat_map(|n| entry(n, 1)).collect();
        assert!(!read(&bytes, &secondary).is_empty());
    }
}

/// A block with a header of one byte, and a body of random length.
fn block(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = vec![0x82, 0x06, 0x85, 0x80, 0, 0, 0];
    let length = random.u8(..=u8::MAX);
    bytes.extend([0x58, length]);
    bytes.extend(
        (0..length).map(|_| [0x82, 0x06, 0x85, 0x80, 0x9f, random.u8(..)][random.usize(..6)]),
    );
    bytes
}

/// An entry is proven if the bytes from its offset to the next offset have its CRC-32 and are a block.
#[test]
fn no_proven_block_is_cut_or_swallowed() {
    let mut random = fastrand::Rng::with_seed(31);
    for round in 0..4_000 {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        for _ in 0..random.usize(1..12) {
            let block = block(&mut random);
            places.push((bytes.len() as u64, crc32fast::hash(&block)));
            bytes.extend(block);
        }
        for _ in 0..random.u8(..5) {
            let at = random.usize(..bytes.len());
            match random.u8(..6) {
                0 => bytes[at] ^= 1 << random.u8(..8),
                1 => bytes[at] = [0x9f, 0x5a, 0x9b, 0xff][random.usize(..4)],
                2 => bytes.insert(at, [0x82, random.u8(..)][random.usize(..2)]),
                3 if bytes.len() > 1 => drop(bytes.remove(at)),
                4 => bytes.truncate(at.max(1)),
                _ => {
                    let place = random.usize(..places.len());
                    match random.u8(..3) {
                        0 => places[place].0 = random.u64(..bytes.len() as u64 + 9),
                        1 => places[place].1 ^= 1,
                        _ => places.truncate(place.max(1)),
                    }
                }
            }
        }
        let length = bytes.len() as u64;
        let mut rising: Vec<(u64, u32)> = Vec::new();
        for &(offset, crc) in &places {
            if offset < length && rising.last().is_none_or(|last| last.0 < offset) {
                rising.push((offset, crc));
            }
        }
        let ends = rising.iter().skip(1).map(|next| next.0).chain([length]);
        let proven = rising.iter().zip(ends).filter(|((start, crc), end)| {
            let block = &bytes[*start as usize..*end as usize];
            crc32fast::hash(block) == *crc && cbor::length(block) == Ok(block.len())
        });
        let secondary: Vec<u8> = places
            .iter()
            .flat_map(|(at, crc)| entry(*at, *crc))
            .collect();
        let items = read(&bytes, &secondary);
        let blocks = items.iter().filter_map(|item| match item {
            Item::Block(block) => Some((block.offset, block.offset + block.size)),
            _ => None,
        });
        let blocks: Vec<(u64, u64)> = blocks.collect();
        for ((start, _), end) in proven {
            assert!(
                blocks.contains(&(*start, end)),
                "round {round}: {start}..{end}, {blocks:?}"
            );
        }
        assert!(
            blocks.is_sorted_by(|a, b| a.1 <= b.0),
            "round {round}: {blocks:?}"
        );
    }
}

/// The index entry of a block is wrong, and a node is writing the next block.
#[test]
fn a_wrong_entry_before_the_first_part_of_a_block() {
    let block = block(&mut fastrand::Rng::with_seed(33));
    // The second block ends before its header, because this header is not a real one and would be rejected.
    for length in 1..4 {
        let bytes = [&block[..], &block[..length]].concat();
        let items = read(&bytes, &entry(0, 1));
        let [.., Item::Block(_), Item::HalfWritten { .. }] = &items[..] else {
            panic!("{length}: {items:?}")
        };
    }
}

#[test]
fn an_honest_chunk_without_a_right_index() {
    let mut random = fastrand::Rng::with_seed(32);
    let (mut bytes, mut secondary) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        secondary.extend(entry(bytes.len() as u64, 1));
        bytes.extend(block(&mut random));
    }
    let longer = [&secondary[..], &[0; 300]].concat();
    let ones = vec![0xff; secondary.len()];
    for index in [&[][..], &secondary, &longer, &ones] {
        let items = read(&bytes, index);
        assert!(!items.iter().any(|item| matches!(item, Item::Lost(_))));
        let blocks = |item: &&Item| matches!(item, Item::Block(_));
        assert_eq!(items.iter().filter(blocks).count(), 1000);
    }
}
