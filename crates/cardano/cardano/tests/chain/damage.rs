//! Tests with damaged blocks: what is reported, what is lost, and what can still be verified.

use fastrand::Rng;
use klero_cardano::{Fault, HeaderState, Immutable, Network, Start, Walk};

use crate::copy::{Copy, Walked, assert_same};
use crate::rounds;

#[test]
fn every_flipped_byte_is_one_fault() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let mut rng = Rng::with_seed(1);
    let mut kinds = [0; 3];
    for round in 0..rounds(600) {
        let chunk = rng.u64(..2);
        let blocks = copy.blocks(chunk);
        let n = rng.usize(..blocks.len());
        let length = blocks[n].len();
        // One flip in three is in the frame (the first 12 bytes), where a flip does the most damage. Another
        // one in three is in the body, which is only the last few bytes of these blocks.
        let byte = match round % 3 {
            0 => rng.usize(..length),
            1 => rng.usize(..12),
            _ => length - 1 - rng.usize(..4),
        };
        let bit = 1 << rng.usize(..8);
        let at = blocks[n].start + byte;
        copy.edit(chunk, "chunk", |bytes| bytes[at] ^= bit);
        let walked = copy.walk();
        copy.edit(chunk, "chunk", |bytes| bytes[at] ^= bit);
        let what = format!(
            "chunk {chunk} block {n} byte {byte} bit {bit}: {:?}",
            walked.faults()
        );
        assert_eq!(
            (walked.faults.len(), walked.warnings()),
            (1, vec![]),
            "{what}"
        );
        assert!(walked.blocks.len() >= whole.blocks.len() - 1, "{what}");
        let mut chunks = whole.blocks.iter();
        let at = n + chunks.position(|block| block.chunk == chunk).unwrap();
        let mut unlinked = walked.unlinked();
        // A flip in the hash by which the block refers to its predecessor makes the block itself unlinked.
        unlinked.retain(|slot| *slot != whole.blocks[at].place.slot);
        let mut next = vec![whole.blocks[at + 1].place.slot];
        match &walked.faults[0].fault {
            Fault::Crc {
                header: HeaderState::Intact,
                ..
            } => {
                next.clear();
                kinds[0] += 1;
            }
            Fault::Crc { .. } => kinds[1] += 1,
            Fault::Truncated { .. } => {
                assert_eq!(n, blocks.len() - 1, "{what}");
                kinds[2] += 1;
            }
            _ => panic!("{what}"),
        }
        assert_eq!(unlinked, next, "{what}");
    }
    eprintln!("{kinds:?}");
    assert!(kinds[0] > 0 && kinds[1] > 0);
}

#[test]
fn garbage() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let blocks = copy.blocks(1);
    let bytes = copy.read(1, "chunk");
    let secondary = copy.read(1, "secondary");
    let mut rng = Rng::with_seed(4);
    let junk: Vec<u8> = (0..3_000).map(|_| rng.u8(..)).collect();

    // Junk replaces three blocks.
    copy.edit(1, "chunk", |bytes| {
        bytes[blocks[10].start..][..2_500].copy_from_slice(&junk[..2_500])
    });
    let walked = copy.walk();
    assert_eq!(walked.blocks.len(), whole.blocks.len() - 3);
    assert!(walked.faults.iter().all(|fault| matches!(
        fault.fault,
        Fault::Crc {
            header: HeaderState::Unreadable,
            ..
        }
    )));
    assert_eq!(walked.faults.len(), 3, "{:?}", walked.faults());
    let in_chunk = |n: usize| whole.blocks[copy.blocks(0).len() + n].place.slot;
    assert_eq!(walked.unlinked(), [in_chunk(13)]);
    // Without an index, the chunk cannot be read beyond the junk, but the next chunk can be read.
    copy.remove(1, "secondary");
    let walked = copy.walk();
    assert_eq!(walked.blocks.len(), whole.blocks.len() - 206);
    assert_eq!(walked.faults.len(), 1, "{:?}", walked.faults());
    assert_eq!(walked.faults[0].at.offset, Some(blocks[10].start as u64));
    assert_eq!(walked.unlinked(), [whole.first_from(2)]);

    // Inserts junk between two blocks, or at the end. No block is lost, so all blocks are linked.
    for at in [blocks[10].start, bytes.len()] {
        let mut grown = bytes.clone();
        grown.splice(at..at, junk.iter().copied().map(|b| b | 0xe0));
        copy.write(1, "chunk", &grown);
        let mut moved = secondary.clone();
        for entry in moved.chunks_exact_mut(56) {
            let offset = u64::from_be_bytes(entry[..8].try_into().unwrap());
            if offset >= at as u64 {
                entry[..8].copy_from_slice(&(offset + junk.len() as u64).to_be_bytes());
            }
        }
        copy.write(1, "secondary", &moved);
        let walked = copy.walk();
        assert_same(&walked, &whole);
        let faults = walked.faults();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("no block begins here"), "{faults:?}");
    }
}

#[test]
fn nothing_panics() {
    let Some(copy) = Copy::of(0..1) else { return };
    // The chunk is cut to a few blocks, so that walks are fast and many changes can be tried.
    let blocks = copy.blocks(0);
    let count = 6;
    copy.edit(0, "chunk", |bytes| bytes.truncate(blocks[count - 1].end));
    copy.edit(0, "secondary", |bytes| bytes.truncate(count * 56));
    let files: Vec<(&str, Vec<u8>)> = ["chunk", "primary", "secondary"]
        .map(|extension| (extension, copy.read(0, extension)))
        .into();
    let mut rng = Rng::with_seed(5);
    for _ in 0..rounds(3_000) {
        for (extension, bytes) in &files {
            let mut bytes = bytes.clone();
            for _ in 0..rng.usize(..4) {
                let at = rng.usize(..bytes.len().max(1));
                match rng.usize(..6) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, rng.u8(..)),
                    2 => {
                        // Copies some bytes over other bytes.
                        let part = bytes[..rng.usize(..300).min(bytes.len())].to_vec();
                        let end = (at + part.len()).min(bytes.len());
                        bytes.splice(at.min(end)..end, part);
                    }
                    _ => {
                        if let Some(byte) = bytes.get_mut(at) {
                            *byte ^= 1 << rng.usize(..8);
                        }
                    }
                }
            }
            copy.write(0, extension, &bytes);
        }
        let db = Immutable::open(copy.path()).unwrap();
        for start in [Start::Genesis, Start::Anywhere] {
            if let Ok(walk) = Walk::new(&db, Network::preview(), start) {
                let walked = Walked::new(walk);
                assert!(walked.blocks.len() <= 4_321);
            }
        }
    }
}
