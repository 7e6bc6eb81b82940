//! Tests with chunks that end too early, are empty or are missing.

use std::ops::Range;

use fastrand::Rng;
use klero_cardano::{Fault, Finding, Immutable, Network, Start, Walk};

use crate::copy::{Copy, Walked};
use crate::rounds;

/// The expected fault if a chunk with these blocks is cut after `length` bytes. In the newest chunk, an
/// incomplete block that no index lists is only noted, because a node may be writing it. Without an index, a
/// cut between two blocks is not a fault.
fn expected(
    blocks: &[Range<usize>],
    length: usize,
    has_index: bool,
    is_newest: bool,
) -> Option<Fault> {
    let complete = blocks.iter().filter(|block| block.end <= length).count();
    let start = blocks[complete].start;
    let missing = match has_index {
        true => (blocks.len() - complete) as u64,
        false => 0,
    };
    let truncated = |incomplete, missing| Fault::Truncated {
        length: length as u64,
        incomplete,
        missing,
    };
    match (length == start, has_index) {
        (true, true) => Some(truncated(None, missing)),
        (true, false) => None,
        (false, false) if is_newest => Some(Fault::HalfWritten {
            bytes: (length - start) as u64,
        }),
        (false, _) => Some(truncated(Some(start as u64), missing.saturating_sub(1))),
    }
}

#[test]
fn a_cut_chunk() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let mut rng = Rng::with_seed(3);
    for chunk in [1u64, 2] {
        let [bytes, secondary] = ["chunk", "secondary"].map(|file| copy.read(chunk, file));
        let blocks = copy.blocks(chunk);
        let others = whole.blocks.iter().filter(|block| block.chunk != chunk);
        let others = others.count();
        let next = Vec::from_iter((chunk == 1).then(|| whole.first_from(2)));
        let mut cuts: Vec<usize> = (0..rounds(60)).map(|_| rng.usize(..bytes.len())).collect();
        for block in blocks.iter().step_by(240 / rounds(6)).chain(blocks.last()) {
            cuts.extend([block.start, block.start + 1, block.start + 5, block.end - 1]);
        }
        for length in cuts {
            for has_index in [true, false] {
                copy.write(chunk, "chunk", &bytes[..length]);
                if !has_index {
                    copy.remove(chunk, "secondary");
                }
                let walked = copy.walk();
                copy.write(chunk, "secondary", &secondary);
                let what = format!("cut after {length}, index: {has_index}");
                let complete = blocks.iter().filter(|block| block.end <= length);
                assert_eq!(walked.blocks.len(), others + complete.count(), "{what}");
                assert_eq!(walked.unlinked(), next, "{what}");
                let found = walked.faults.iter().chain(&walked.notes);
                let found: Vec<&Fault> = found.map(|finding| &finding.fault).collect();
                match expected(&blocks, length, has_index, chunk == 2) {
                    Some(fault) => assert_eq!(found, [&fault], "{what}"),
                    // The first block of the next chunk is not linked, which reveals the cut.
                    None if chunk == 1 => {
                        assert!(matches!(found[..], [Fault::HashLink { .. }]), "{what}");
                    }
                    None => assert!(found.is_empty(), "{what}: {found:?}"),
                }
                if let [Fault::HalfWritten { bytes }] = found[..] {
                    assert_eq!(walked.unread, *bytes, "{what}");
                    assert_eq!(walked.notes[0].at.offset, Some(length as u64 - bytes));
                }
            }
        }
        copy.write(chunk, "chunk", &bytes);
    }
}

/// True if the walk notes a half-written block. If it does not, asserts that it reports one fault instead.
fn is_half_written(walked: &Walked) -> bool {
    let noted = match &walked.notes[..] {
        [] => false,
        [note] => matches!(note.fault, Fault::HalfWritten { .. }),
        _ => panic!("{:?}", walked.notes()),
    };
    let is_fault = matches!(&walked.faults[..], [_]);
    assert_ne!(noted, is_fault, "{:?}", walked.faults());
    noted
}

/// Cuts the newest chunk after nine blocks and appends the first bytes of a tenth. They are noted as a
/// half-written block if such a block can come next. They are a fault if its era or slot is too early, if its
/// slot is in another chunk, or if its number (encoded in one byte or three bytes) or predecessor is wrong.
#[test]
fn beginnings_of_blocks() {
    let Some(copy) = Copy::of(0..3) else { return };
    let bytes = copy.read(2, "chunk");
    let nine = &bytes[..copy.blocks(2)[9].start];
    copy.edit(2, "secondary", |index| index.truncate(56 * 9));
    let walk = |begun: &[u8]| {
        copy.write(2, "chunk", &[nine, begun].concat());
        copy.walk()
    };
    let last = walk(&[]).blocks.pop().unwrap().place;
    let [high, low] = ((last.number + 1) as u16).to_be_bytes();
    let [_, _, _, _, s4, s3, s2, s1] = (last.slot + 1).to_be_bytes();
    let with = |more: &[u8]| {
        let head = [0x82, 0x05, 0x85, 0x82, 0x8f, 0x19, high, low];
        [&head[..], more].concat()
    };
    for begun in [
        vec![0x82],
        vec![0x82, 0x05],
        vec![0x82, 0x07],
        with(&[]),
        with(&[0x1a, s4, s3, s2, s1]),
    ] {
        assert!(is_half_written(&walk(&begun)), "{begun:02x?}");
    }
    for begun in [
        vec![0x82, 0x02],
        vec![0x82, 0x02, 0x84, 0x82, 0x8f],
        vec![0x82, 0x07, 0x85, 0x82, 0x8a, 0x00, 0x00],
        vec![0x82, 0x05, 0x85, 0x82, 0x8f, 0x00],
        with(&[0x00]),
        with(&[0x1a, 0xff, 0xff, 0xff, 0xff]),
        with(&[0x1a, s4, s3, s2, s1, 0xf6]),
    ] {
        assert!(!is_half_written(&walk(&begun)), "{begun:02x?}");
    }
}

/// A file is not read if it is not a regular file or is too long. If it is an index file, the blocks of the
/// chunk are still read.
#[test]
fn files_that_are_none() {
    let Some(copy) = Copy::of(0..3) else { return };
    let not_read = |words: &str| {
        let walked = copy.walk();
        assert_eq!(walked.faults(), Vec::<String>::new());
        let notes = walked.notes();
        assert!(notes[0].starts_with("note: io: chunk 00001: cannot be read: "));
        assert!(notes[0].ends_with(words), "{notes:?}");
    };
    let file = copy.file(1, "chunk");
    std::fs::remove_file(&file).unwrap();
    // A sparse file that is longer than any chunk.
    let sparse = std::fs::File::create(&file).unwrap();
    sparse.set_len(1 << 40).unwrap();
    not_read("00001.chunk: has 1099511627776 bytes, expected at most 1073741824");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    not_read("00001.chunk: is a directory, expected a regular file");
    #[cfg(unix)]
    {
        std::fs::remove_dir(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        not_read("00001.chunk: is a device, expected a regular file");
    }

    let Some(copy) = Copy::of(0..3) else { return };
    let blocks = copy.blocks(1).len();
    for (extension, limit) in [("primary", 4 * 4322 + 1), ("secondary", 56 * 4322)] {
        std::fs::remove_file(copy.file(1, extension)).unwrap();
        let sparse = std::fs::File::create(copy.file(1, extension)).unwrap();
        sparse.set_len(1 << 40).unwrap();
        let walked = copy.walk();
        assert_eq!(walked.faults(), Vec::<String>::new());
        let said = walked.warnings().join("; ");
        let words = format!("has 1099511627776 bytes, expected at most {limit}");
        assert!(said.contains(&words), "{said}");
    }
    let warnings = copy.walk().warnings();
    let unchecked =
        format!("warning: crc-unchecked: chunk 00001: CRC-32 of {blocks} blocks not checked");
    assert!(warnings.contains(&unchecked), "{warnings:?}");
}

#[test]
fn missing_and_empty_chunks() {
    let Some(copy) = Copy::of(0..5) else { return };
    for extension in ["chunk", "primary", "secondary"] {
        copy.remove(2, extension);
        copy.remove(3, extension);
    }
    let walked = copy.walk();
    assert_eq!(
        walked.faults(),
        ["missing-chunks: chunk 00002: chunks 00002 to 00003 are missing"]
    );
    assert_eq!(walked.unlinked(), [walked.first_from(4)]);
    assert_eq!(walked.warnings(), Vec::<String>::new());

    // Empty chunk files mean chunks without blocks. But the next block is not linked, so blocks are missing.
    for chunk in [2, 3] {
        copy.write(chunk, "chunk", &[]);
    }
    let walked = copy.walk();
    assert!(matches!(
        walked.faults[..],
        [Finding {
            fault: Fault::HashLink { .. },
            ..
        }]
    ));
    assert_eq!(walked.unlinked(), [walked.first_from(4)]);
}

#[test]
fn a_chain_that_begins_with_empty_chunks() {
    let Some(copy) = Copy::of(3..5) else { return };
    for chunk in 0..3 {
        copy.write(chunk, "chunk", &[]);
    }
    let db = Immutable::open(copy.path()).unwrap();
    let error = Walk::new(&db, Network::preview(), Start::Genesis).err();
    let error = error.unwrap().to_string();
    assert!(error.contains("block 648 at slot 12960"), "{error}");
    // If there are only empty chunks, nothing is reported and nothing is checked.
    copy.remove(3, "chunk");
    copy.remove(4, "chunk");
    let walked = copy.walk();
    let found = [&walked.faults, &walked.warnings].map(Vec::len);
    assert_eq!((walked.blocks.len(), found), (0, [0, 0]));
}
