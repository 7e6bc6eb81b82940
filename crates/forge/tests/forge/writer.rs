//! The writer of databases, with which tests damage chains and repair their indexes.

use std::fs;
use std::path::Path;

use klero_cardano::Era;
use klero_forge::{Entry, ForgeError, ImmutableWriter, Position};

use crate::checks::{make, small};
use crate::reader::{Stored, read};

/// Rewrites blocks, as tests do that damage a chain and repair its indexes.
fn rewrite(blocks: &[Stored], dir: &Path, chunk_slots: u64) {
    let mut writer = ImmutableWriter::create(dir, chunk_slots).unwrap();
    for stored in blocks {
        writer.append(stored.position(), &stored.bytes).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn a_rewritten_chain_is_the_same_and_a_damaged_one_is_repaired() {
    let mut chain = make(small(&[
        (Era::Byron, 1),
        (Era::Alonzo, 1),
        (Era::Conway, 1),
    ]));
    let again = tempfile::tempdir().unwrap();
    rewrite(&chain.blocks, again.path(), 40);
    for entry in fs::read_dir(again.path()).unwrap() {
        let path = entry.unwrap().path();
        let immutable = chain.dir.path().join("immutable");
        let original = immutable.join(path.file_name().unwrap());
        assert_eq!(fs::read(path).unwrap(), fs::read(original).unwrap());
    }

    // One bit of the last block's proof; CRC, hash and indexes are right again.
    let last = chain.blocks.last_mut().unwrap();
    let before = Entry::of(&last.bytes).unwrap();
    last.bytes[300] ^= 1;
    let after = Entry::of(&last.bytes).unwrap();
    assert_ne!((before.crc, before.hash), (after.crc, after.hash));
    let damaged = tempfile::tempdir().unwrap();
    rewrite(&chain.blocks, damaged.path(), 40);
    assert_eq!(read(damaged.path(), 40).len(), chain.blocks.len());
}

#[test]
fn the_writer_keeps_the_order_of_places() {
    let block = [0x82, 0x02, 0x84, 0x81, 0x00, 0x80, 0x80, 0xa0];
    let dir = tempfile::tempdir().unwrap();
    let mut writer = ImmutableWriter::create(dir.path(), 10).unwrap();
    writer.append(Position::Slot(3), &block).unwrap();
    for earlier in [Position::Slot(3), Position::Slot(0), Position::Boundary(0)] {
        assert!(
            matches!(writer.append(earlier, &block), Err(ForgeError::Order(p)) if p == earlier)
        );
    }
    writer.append(Position::Slot(9), &block).unwrap();
    writer.append(Position::Boundary(2), &block).unwrap();
    writer.append(Position::Slot(20), &block).unwrap();
    assert!(writer.append(Position::Slot(19), &block).is_err());
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
    // An announced length without the bytes.
    let announced = [&[0x82, 0x02, 0x84, 0x5b][..], &[0xff; 8]].concat();
    assert!(Entry::of(&announced).is_err());
    assert!(Entry::of(&[0x82, 0x18, 0x18, 0x84, 0x80]).is_err());
}
