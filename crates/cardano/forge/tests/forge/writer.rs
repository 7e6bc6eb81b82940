//! Tests of the database writer, which other tests use to damage chains and repair their indexes.

use std::fs;

use klero_cardano::{Era, Start};
use klero_damage::Stored;
use klero_forge::{Entry, ForgeError, ImmutableWriter};

use crate::checks::{make, small};
use crate::walk::walk;

#[test]
fn a_rewritten_chain_is_the_same_and_a_damaged_one_is_repaired() {
    let chain = make(small(&[
        (Era::Byron, 1),
        (Era::Alonzo, 1),
        (Era::Conway, 1),
    ]));
    let [again, damaged] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let last = chain.blocks.last().unwrap();
    let chunks = 0..last.chunk + 1;
    let original = &chain.database;
    original
        .rewrite(chunks.clone(), 40, again.path(), |_, _| {})
        .unwrap();
    for entry in fs::read_dir(original.dir()).unwrap() {
        let path = entry.unwrap().path();
        let again = again.path().join(path.file_name().unwrap());
        assert_eq!(fs::read(again).unwrap(), fs::read(path).unwrap());
    }

    // Flips one bit of the last block. The rewriting computes CRC, hash and indexes for the changed block.
    let flip = |block: &Stored, bytes: &mut Vec<u8>| {
        bytes[300] ^= u8::from(block == last);
    };
    let rewritten = original.rewrite(chunks, 40, damaged.path(), flip).unwrap();
    let after = rewritten.blocks(last.chunk).unwrap().pop().unwrap().entry;
    assert_ne!((last.entry.crc, last.entry.hash), (after.crc, after.hash));
    let walked = walk(&damaged, &chain.forged.network, Start::Genesis);
    assert_eq!((walked.faults, walked.warnings), (vec![], 0));
    assert_eq!(walked.blocks.len(), chain.blocks.len());
}

#[test]
fn the_writer_keeps_the_order_of_places() {
    let block = [0x82, 0x02, 0x84, 0x81, 0x00, 0x80, 0x80, 0xa0];
    let dir = tempfile::tempdir().unwrap();
    let mut writer = ImmutableWriter::create(dir.path(), 10).unwrap();
    writer.append(3, &block).unwrap();
    for earlier in [3, 0] {
        let refusal = writer.append(earlier, &block);
        assert!(matches!(refusal, Err(ForgeError::Order(slot)) if slot == earlier));
    }
    let refusal = writer.append_boundary(0, &block);
    assert!(matches!(refusal, Err(ForgeError::Order(0))));
    writer.append(9, &block).unwrap();
    writer.append_boundary(2, &block).unwrap();
    writer.append(20, &block).unwrap();
    assert!(writer.append(19, &block).is_err());
    writer.finish().unwrap();
    let primary = |n: u64| dir.path().join(format!("{n:05}.primary"));
    let lengths = [0, 1, 2].map(|n| fs::metadata(primary(n)).unwrap().len());
    assert_eq!(lengths, [1 + 4 * 12, 1 + 4 * 12, 1 + 4 * 3]);

    let elsewhere = tempfile::tempdir().unwrap();
    for slots in [0, u64::MAX, u64::from(u32::MAX)] {
        let writer = ImmutableWriter::create(elsewhere.path(), slots);
        assert!(writer.is_err(), "{slots} slots");
    }
    for bytes in [
        &[][..],
        &[0x82],
        &[0x82, 0x02, 0x84],
        &[0x83, 0x02, 0x84, 0x81, 0x00],
        &[0xff; 9],
    ] {
        let refusal = Entry::of(bytes);
        assert!(
            matches!(refusal, Err(ForgeError::NotABlock(_))),
            "{bytes:02x?}"
        );
    }
    // The header is a byte string that claims to be 2^64 - 1 bytes long, but the block ends there.
    let announced = [&[0x82, 0x02, 0x84, 0x5b][..], &[0xff; 8]].concat();
    assert!(Entry::of(&announced).is_err());
    assert!(Entry::of(&[0x82, 0x18, 0x18, 0x84, 0x80]).is_err());
}
