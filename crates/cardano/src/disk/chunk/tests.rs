//! Hostile chunks and indexes: what reading them costs.

use std::io::Write;

use super::*;
use crate::chain::hash::blake2b_256;
use crate::disk::pieces::Pieces;
use crate::disk::rules::{Rules, Wanted};
use crate::limits::{BLOCK, SLOT};

/// The items of a chunk of these bytes, and the bytes read in search of blocks.
fn read(bytes: &[u8], secondary: &[u8], size: u64) -> (Vec<Item>, u64) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let mut memory = Vec::new();
    let chunk = Chunk {
        number: 0,
        file: Pieces::new(file, bytes.len() as u64, &mut memory),
        primary: IndexContent::Missing,
        secondary: IndexContent::Bytes(secondary),
        rules: Rules {
            chunk_size: size,
            byron_epoch_length: size,
            wanted: Wanted::ALL,
        },
        newest: false,
    };
    let mut reader = chunk.reader();
    reader.run().unwrap();
    let spent = reader.budget.spent();
    (reader.finish(), spent)
}

fn entry(offset: u64, crc: u32) -> Vec<u8> {
    let mut entry = offset.to_be_bytes().to_vec();
    entry.extend([0, 3, 0, 0]);
    entry.extend(crc.to_be_bytes());
    entry.extend([0; 40]);
    entry
}

/// What is in memory at a time for a block in every slot.
#[test]
fn memory_of_a_slot() {
    // In the file, all of it, and what is kept of it; the entries of blocks that moved.
    let moved = 2 * size_of::<Entry>() + size_of::<(u64, Entry)>() + size_of::<[u64; 3]>();
    let index = 3 * size_of::<Entry>() + moved;
    // Warnings are put before the items, in a new list.
    let items = size_of::<Stored>() + 2 * size_of::<Item>();
    // A header and four parts of a body: what is asked for, in this order and that of their
    // lengths, as the hash takes it; and the digests, in both orders.
    let asked = size_of::<(&[u8], Range<usize>)>() + size_of::<usize>();
    let hashed = size_of::<[&[u8]; 2]>() + size_of::<&[&[u8]]>() + 2 * size_of::<[u8; 32]>();
    let memory = index + items + size_of::<Unhashed>() + 5 * (asked + hashed);
    assert!(memory < SLOT as usize, "{memory}");
}

#[test]
fn a_hostile_index_does_not_make_it_read_forever() {
    // Blocks nested in each other up to the end: to find the end of any of them takes all
    // bytes that follow.
    let mut bytes = [0x82, 0x06, 0x85].repeat(2_000_000);
    // A valid block after them.
    let block = [0x82, 0x06, 0x85, 0x80, 0, 0, 0, 0];
    let mut secondary: Vec<u8> = (0..20_000).flat_map(|n| entry(3 * n, 1)).collect();
    secondary.extend(entry(bytes.len() as u64, crc32fast::hash(&block)));
    bytes.extend(block);
    let (items, spent) = read(&bytes, &secondary, 21_600);
    let step = 4 * BLOCK as u64;
    assert!(spent < 8 * bytes.len() as u64 + step, "{spent}");
    // The index leads to the valid block, and everything before it is reported.
    let blocks = |item: &&Item| matches!(item, Item::Block(_));
    assert_eq!(items.iter().filter(blocks).count(), 1);
    let faults = items.iter().filter(|item| matches!(item, Item::Lost(_)));
    assert_eq!(faults.count(), 20_000);
}

/// A header that is everywhere, one inside the other, and an index that has its hash and never
/// its CRC-32: each place has to be tried, until the budget is spent.
#[test]
fn hostile_headers_do_not_make_it_search_forever() {
    let header = [0x59, 0xff, 0xf0];
    let opening = [&[0x82, 0x06, 0x85][..], &header].concat();
    let mut nested = opening.repeat(400_000);
    nested.resize(nested.len() + 0xfff0, 0);
    let alike = [&opening[..], &[0x80; 0xfff0], &[0; 4]].concat().repeat(40);
    let hash = blake2b_256(&[&alike[3..6 + 0xfff0]]);
    for bytes in [nested, alike] {
        let length = bytes.len() as u64;
        let mut secondary: Vec<u8> = (1..20_000).flat_map(|n| entry(n, 1)).collect();
        for entry in secondary.chunks_exact_mut(56) {
            entry[16..48].copy_from_slice(&hash[..]);
        }
        secondary.extend(entry(length - 1, 1));
        let (_, spent) = read(&bytes, &secondary, 21_600);
        assert!(spent < 8 * length + 4 * BLOCK as u64, "{spent} of {length}");
    }
}

#[test]
fn an_honest_chunk_without_an_index_is_within_its_budget() {
    let mut bytes = Vec::new();
    let mut secondary = Vec::new();
    for n in 0..1000u64 {
        secondary.extend(entry(bytes.len() as u64, 1));
        bytes.extend([0x82, 0x06, 0x85, 0x80, 0, 0, 0]);
        bytes.extend([0x59, 0x01, 0x00]);
        bytes.extend([n as u8; 256]);
    }
    for index in [&[][..], &secondary] {
        let (items, spent) = read(&bytes, index, 21_600);
        let blocks = |item: &&Item| matches!(item, Item::Block(_));
        assert_eq!(items.iter().filter(blocks).count(), 1000);
        assert!(spent < 4 * bytes.len() as u64, "{spent}");
    }
}
