//! Chunks that end too early, are empty or are missing.

use fastrand::Rng;
use klero_cardano::{FindingKind, Immutable, Network, Start, Walk, WalkError};

use crate::copy::{ALL, Copy, EPOCH};
use crate::rounds;

#[test]
fn a_cut_chunk() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let mut rng = Rng::with_seed(3);
    for chunk in [1u64, 2] {
        let bytes = copy.read(chunk, "chunk");
        let secondary = copy.read(chunk, "secondary");
        let blocks = copy.blocks(chunk);
        let before = whole
            .blocks
            .iter()
            .filter(|block| block.chunk < chunk)
            .count();
        let after = whole
            .blocks
            .iter()
            .filter(|block| block.chunk > chunk)
            .count();
        let mut cuts: Vec<usize> = (0..rounds(60)).map(|_| rng.usize(..bytes.len())).collect();
        for block in blocks.iter().step_by(240 / rounds(6)).chain(blocks.last()) {
            cuts.extend([block.start, block.start + 1, block.start + 5, block.end - 1]);
        }
        for cut in cuts {
            let complete = blocks.iter().filter(|block| block.end <= cut).count();
            let boundary = cut == 0 || blocks.iter().any(|block| block.end == cut);
            for index in [true, false] {
                copy.write(chunk, "chunk", &bytes[..cut]);
                if !index {
                    copy.remove(chunk, "secondary");
                }
                let walked = copy.walk();
                copy.write(chunk, "chunk", &bytes);
                copy.write(chunk, "secondary", &secondary);
                assert_eq!(
                    walked.blocks.len(),
                    before + complete + after,
                    "cut at {cut}"
                );
                let kinds: Vec<&FindingKind> =
                    walked.faults.iter().map(|fault| &fault.kind).collect();
                let start = blocks[complete].start as u64;
                let missing = if index {
                    (blocks.len() - complete) as u64
                } else {
                    0
                };
                // A block that the index does not list yet may be one that is being written.
                let half_written = !boundary && !index && chunk == 2;
                let notes: Vec<&FindingKind> = walked.notes.iter().map(|note| &note.kind).collect();
                match notes[..] {
                    [FindingKind::HalfWritten { bytes }] => {
                        assert!(half_written);
                        assert_eq!(*bytes, cut as u64 - start);
                        assert_eq!(walked.notes[0].location.offset, Some(start));
                        assert_eq!(walked.unread, *bytes);
                    }
                    [] => assert!(!half_written, "cut at {cut}"),
                    _ => panic!("{notes:?}"),
                }
                match &kinds[..] {
                    [
                        FindingKind::Truncated {
                            length,
                            incomplete: None,
                            missing: found,
                        },
                    ] => {
                        assert!(boundary && index);
                        assert_eq!((*length, *found), (cut as u64, missing));
                    }
                    [
                        FindingKind::Truncated {
                            length,
                            incomplete,
                            missing: found,
                        },
                    ] => {
                        assert!(!boundary);
                        assert_eq!((*length, *incomplete), (cut as u64, Some(start)));
                        assert_eq!(*found, missing.saturating_sub(1));
                    }
                    // Cut between two blocks, without an index: the next chunk shows it.
                    [FindingKind::HashLink { .. }] => assert!(boundary && !index && chunk == 1),
                    [] => assert!(!index && chunk == 2),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    copy.edit(2, "chunk", |bytes| bytes.truncate(bytes.len() - 1));
    let walked = copy.walk();
    let (length, start) = (
        copy.read(2, "chunk").len(),
        copy.blocks(2).last().unwrap().start,
    );
    let expected = format!(
        "chunk 00002 truncated at byte {length}: block starting at byte {start} incomplete"
    );
    assert_eq!(walked.faults(), [expected]);
}

/// What ends the newest chunk is a note only if it is the first part of the block that comes
/// next.
#[test]
fn a_half_written_block() {
    let Some(copy) = Copy::of(0..4) else { return };
    let bytes = copy.read(2, "chunk");
    let blocks = copy.blocks(2);
    copy.edit(2, "secondary", |index| index.truncate(56 * 9));
    let half = |walked: &crate::copy::Walked| {
        let noted = match &walked.notes[..] {
            [] => false,
            [note] => matches!(note.kind, FindingKind::HalfWritten { .. }),
            _ => panic!("{:?}", walked.notes()),
        };
        assert_ne!(
            noted,
            matches!(&walked.faults[..], [_]),
            "{:?}",
            walked.faults()
        );
        noted
    };
    for extension in ["chunk", "primary", "secondary"] {
        copy.remove(3, extension);
    }
    let tail = |range: std::ops::Range<usize>, change: &dyn Fn(&mut [u8])| {
        let mut tail = bytes[range].to_vec();
        change(&mut tail);
        copy.write(2, "chunk", &[&bytes[..blocks[9].start], &tail].concat());
        copy.walk()
    };
    let next = blocks[9].clone();
    let bytes_before = bytes[..next.start].to_vec();
    let last = tail(0..0, &|_| {}).blocks.last().unwrap().place.clone();
    // In the header, and behind it.
    for end in [
        next.start + 1,
        next.start + 60,
        next.start + 990,
        next.end - 1,
    ] {
        let walked = tail(next.start..end, &|_| {});
        assert!(half(&walked), "{end}");
        assert_eq!(walked.unread, (end - next.start) as u64);
        assert!(walked.doubt(walked.blocks.len()).is_none());
    }
    // The block after it, which neither names the last one nor has the next number; before its
    // number is there, that is not known.
    let later = blocks[10].clone();
    assert!(half(&tail(later.start..later.start + 5, &|_| {})));
    assert!(!half(&tail(later.start..later.start + 60, &|_| {})));
    assert!(!half(&tail(later.start..later.end - 1, &|_| {})));
    // Beginnings of blocks that cannot follow: of an earlier era, with another number, with an
    // earlier slot or one of another chunk. The number has one byte or three here.
    let begun = |bytes: &[u8]| {
        copy.write(2, "chunk", &[&bytes_before[..], bytes].concat());
        half(&copy.walk())
    };
    let number = last.number + 1;
    let [high, low] = (number as u16).to_be_bytes();
    let [_, _, _, _, s4, s3, s2, s1] = (last.slot + 1).to_be_bytes();
    let head = [0x82, 0x05, 0x85, 0x82, 0x8f, 0x19, high, low];
    let with = |more: &[u8]| begun(&[&head[..], more].concat());
    assert!(begun(&[0x82]) && begun(&[0x82, 0x05]) && begun(&[0x82, 0x07]));
    assert!(with(&[]) && with(&[0x1a, s4, s3, s2, s1]));
    assert!(!begun(&[0x82, 0x02]));
    assert!(!begun(&[0x82, 0x02, 0x84, 0x82, 0x8f]));
    assert!(!begun(&[0x82, 0x07, 0x85, 0x82, 0x8a, 0x00, 0x00]));
    assert!(!begun(&[0x82, 0x05, 0x85, 0x82, 0x8f, 0x00]));
    assert!(!with(&[0x00]));
    assert!(!with(&[0x1a, 0xff, 0xff, 0xff, 0xff]));
    assert!(!with(&[0x1a, s4, s3, s2, s1, 0xf6]));
    // Bytes that are something else.
    assert!(!half(
        &tail(next.start..next.end - 1, &|tail| tail[3] = 0x62)
    ));
    assert!(!half(
        &tail(next.start..next.start + 60, &|tail| tail[5] = 0x60)
    ));
    assert!(!half(&tail(next.start + 1..next.end, &|_| {})));
    assert!(!half(&tail(next.start..next.end - 1, &|tail| tail[6] ^= 1)));

    // A chunk that is not the newest.
    let Some(copy) = Copy::of(0..4) else { return };
    copy.edit(2, "chunk", |bytes| bytes.truncate(bytes.len() - 1));
    copy.remove(2, "secondary");
    assert!(!half(&copy.walk()));
}

#[test]
fn files_that_are_none() {
    let Some(copy) = Copy::of(0..3) else { return };
    let not_read = |words: &str| {
        let walked = copy.walk();
        assert_eq!(walked.faults(), Vec::<String>::new());
        let notes = walked.notes();
        assert!(notes[0].starts_with("chunk 00001: cannot be read: "));
        assert!(notes[0].ends_with(words), "{notes:?}");
    };
    let file = copy.file(1, "chunk");
    std::fs::remove_file(&file).unwrap();
    // A sparse file that is longer than any chunk.
    let sparse = std::fs::File::create(&file).unwrap();
    sparse.set_len(1 << 40).unwrap();
    not_read("00001.chunk: has 1099511627776 bytes, expected at most 1073741824");
    #[cfg(unix)]
    {
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        not_read("00001.chunk: is a device, expected a regular file");
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&file, &file).unwrap();
        let walked = copy.walk();
        assert_eq!(walked.faults(), Vec::<String>::new());
        assert_eq!(walked.notes.len(), 1);
    }

    // Index files: the blocks are read without them.
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
    let unchecked = format!("chunk 00001: CRC-32 of {blocks} blocks not checked");
    assert!(warnings.contains(&unchecked), "{warnings:?}");
}

#[test]
fn missing_and_empty_chunks() {
    let Some(copy) = Copy::of(0..120) else { return };
    for extension in ["chunk", "primary", "secondary"] {
        copy.remove(30, extension);
        copy.remove(31, extension);
    }
    let walked = copy.walk();
    assert_eq!(walked.faults(), ["chunk 00030 to 00031 are missing"]);
    assert_eq!(walked.unverifiable(), Some((ALL - 2 * EPOCH, 30 * 4320)));
    assert_eq!(walked.warnings(), Vec::<String>::new());

    // Empty files mean that there were no blocks; the link shows that there were.
    for chunk in [30, 31] {
        copy.write(chunk, "chunk", &[]);
    }
    let walked = copy.walk();
    assert_eq!(walked.faults.len(), 1);
    assert!(matches!(
        walked.faults[0].kind,
        FindingKind::HashLink { .. }
    ));
    let before = walked
        .blocks
        .iter()
        .rfind(|block| block.chunk == 29)
        .unwrap();
    assert_eq!(
        walked.unverifiable(),
        Some((ALL - 2 * EPOCH, before.place.slot))
    );

    // A directory in place of a file.
    std::fs::remove_file(copy.file(30, "chunk")).unwrap();
    std::fs::create_dir(copy.file(30, "chunk")).unwrap();
    let walked = copy.walk();
    assert_eq!(walked.faults(), Vec::<String>::new());
    let note = walked.notes()[0].clone();
    assert!(note.starts_with("chunk 00030: cannot be read: "), "{note}");
    let why = "00030.chunk: is a directory, expected a regular file";
    assert!(note.ends_with(why), "{note}");
    assert_eq!(walked.unverifiable(), Some((ALL - 2 * EPOCH, 30 * 4320)));

    // The last chunks of an epoch: the next epoch depends on them only by a hash.
    let Some(copy) = Copy::of(0..120) else { return };
    for extension in ["chunk", "primary", "secondary"] {
        copy.remove(19, extension);
    }
    let walked = copy.walk();
    assert_eq!(walked.faults(), ["chunk 00019 is missing"]);
    assert_eq!(walked.unverifiable(), Some((ALL - 2 * EPOCH, 19 * 4320)));
    // The first of an epoch.
    let Some(copy) = Copy::of(0..120) else { return };
    copy.remove(20, "chunk");
    let walked = copy.walk();
    assert_eq!(walked.faults(), ["chunk 00020 is missing"]);
    assert_eq!(walked.unverifiable(), Some((ALL - 2 * EPOCH, 20 * 4320)));
}

#[test]
fn a_chain_without_its_beginning() {
    let Some(copy) = Copy::of(3..5) else { return };
    let db = Immutable::open(copy.path()).unwrap();
    let begin = |db: &Immutable| Walk::new(db, Network::preview(), Start::Genesis);
    let error = begin(&db).err().unwrap();
    assert!(matches!(error, WalkError::NotGenesis { .. }));
    assert!(
        error
            .to_string()
            .starts_with("the database begins with chunk 00003, not"),
        "{error}"
    );
    copy.write(0, "chunk", &[]);
    copy.write(1, "chunk", &[]);
    copy.write(2, "chunk", &[]);
    let db = Immutable::open(copy.path()).unwrap();
    let error = begin(&db).err().unwrap();
    assert!(
        error.to_string().contains("block 648 at slot 12960"),
        "{error}"
    );
    // Empty alone: nothing to report, nothing to check.
    copy.remove(3, "chunk");
    copy.remove(4, "chunk");
    let walked = copy.walk();
    assert_eq!(
        (
            walked.blocks.len(),
            walked.faults.len(),
            walked.warnings.len()
        ),
        (0, 0, 0)
    );
}
