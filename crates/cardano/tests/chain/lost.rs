//! Chunks that end too early, are empty or are missing.

use std::ops::Range;

use fastrand::Rng;
use klero_cardano::{Fault, Immutable, Network, Start, Walk, WalkError};

use crate::copy::{Copy, Walked};
use crate::rounds;

/// A chunk whose file ends at byte `at`.
struct Cut<'a> {
    chunk: u64,
    blocks: &'a [Range<usize>],
    at: usize,
    /// Whether the chunk still has its index.
    index: bool,
}

impl Cut<'_> {
    fn walk(&self, copy: &Copy) -> Walked {
        let [bytes, secondary] = ["chunk", "secondary"].map(|file| copy.read(self.chunk, file));
        copy.write(self.chunk, "chunk", &bytes[..self.at]);
        if !self.index {
            copy.remove(self.chunk, "secondary");
        }
        let walked = copy.walk();
        copy.write(self.chunk, "chunk", &bytes);
        copy.write(self.chunk, "secondary", &secondary);
        walked
    }

    /// Blocks that are complete.
    fn complete(&self) -> usize {
        let complete = self.blocks.iter().filter(|block| block.end <= self.at);
        complete.count()
    }

    fn is_between_blocks(&self) -> bool {
        self.at == 0 || self.blocks.iter().any(|block| block.end == self.at)
    }

    /// Where the first block begins that is not complete.
    fn start(&self) -> u64 {
        self.blocks[self.complete()].start as u64
    }

    /// A block that the index does not list yet may be one that is being written.
    fn check_notes(&self, walked: &Walked) {
        let half_written = !self.is_between_blocks() && !self.index && self.chunk == 2;
        match &walked.notes[..] {
            [note] => {
                let Fault::HalfWritten { bytes } = note.fault else {
                    panic!("{note}")
                };
                assert!(half_written);
                assert_eq!(bytes, self.at as u64 - self.start());
                assert_eq!(note.at.offset, Some(self.start()));
                assert_eq!(walked.unread, bytes);
            }
            [] => assert!(!half_written, "cut at {}", self.at),
            _ => panic!("{:?}", walked.notes()),
        }
    }

    fn check_faults(&self, walked: &Walked) {
        let missing = match self.index {
            true => (self.blocks.len() - self.complete()) as u64,
            false => 0,
        };
        let kinds: Vec<&Fault> = walked.faults.iter().map(|fault| &fault.fault).collect();
        match kinds[..] {
            [
                &Fault::Truncated {
                    length,
                    incomplete,
                    missing: found,
                },
            ] => {
                assert_eq!(length, self.at as u64);
                if self.is_between_blocks() {
                    assert!(self.index);
                    assert_eq!((incomplete, found), (None, missing));
                } else {
                    assert_eq!(incomplete, Some(self.start()));
                    assert_eq!(found, missing.saturating_sub(1));
                }
            }
            // Cut between two blocks, without an index: the next chunk shows it.
            [Fault::HashLink { .. }] => {
                assert!(self.is_between_blocks() && !self.index && self.chunk == 1);
            }
            [] => assert!(!self.index && self.chunk == 2),
            ref other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_cut_chunk() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let mut rng = Rng::with_seed(3);
    for chunk in [1u64, 2] {
        let length = copy.read(chunk, "chunk").len();
        let blocks = copy.blocks(chunk);
        let others = whole.blocks.iter().filter(|block| block.chunk != chunk);
        let others = others.count();
        let mut cuts: Vec<usize> = (0..rounds(60)).map(|_| rng.usize(..length)).collect();
        for block in blocks.iter().step_by(240 / rounds(6)).chain(blocks.last()) {
            cuts.extend([block.start, block.start + 1, block.start + 5, block.end - 1]);
        }
        for at in cuts {
            for index in [true, false] {
                let cut = Cut {
                    chunk,
                    blocks: &blocks,
                    at,
                    index,
                };
                let walked = cut.walk(&copy);
                let expected = others + cut.complete();
                assert_eq!(walked.blocks.len(), expected, "cut at {at}");
                let next = (chunk == 1).then(|| whole.first_from(2));
                assert_eq!(walked.unlinked(), Vec::from_iter(next), "cut at {at}");
                cut.check_notes(&walked);
                cut.check_faults(&walked);
            }
        }
    }
}

#[test]
fn a_cut_chunk_in_words() {
    let Some(copy) = Copy::of(0..3) else { return };
    copy.edit(2, "chunk", |bytes| bytes.truncate(bytes.len() - 1));
    let length = copy.read(2, "chunk").len();
    let start = copy.blocks(2).last().unwrap().start;
    let expected = format!("the file ends after {length} bytes, within the block at byte {start}");
    assert_eq!(copy.walk().faults[0].fault.to_string(), expected);
}

/// Whether the walk notes a half-written block. If not, the end of the chunk is a fault.
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

/// Chunk 2 as the newest chunk, with nine blocks in its index, of which the ends are replaced. An
/// end is a note only if it is the first part of the block that comes next.
struct Newest {
    copy: Copy,
    bytes: Vec<u8>,
    blocks: Vec<Range<usize>>,
}

impl Newest {
    fn new() -> Option<Newest> {
        let copy = Copy::of(0..3)?;
        let bytes = copy.read(2, "chunk");
        let blocks = copy.blocks(2);
        copy.edit(2, "secondary", |index| index.truncate(56 * 9));
        Some(Newest {
            copy,
            bytes,
            blocks,
        })
    }

    /// The walk if these bytes follow the nine blocks.
    fn walk(&self, end: &[u8]) -> Walked {
        let bytes = [&self.bytes[..self.blocks[9].start], end].concat();
        self.copy.write(2, "chunk", &bytes);
        self.copy.walk()
    }

    fn is_half_written(&self, end: &[u8]) -> bool {
        is_half_written(&self.walk(end))
    }
}

#[test]
fn the_first_part_of_the_next_block() {
    let Some(newest) = Newest::new() else { return };
    // In the header, and behind it.
    let next = &newest.bytes[newest.blocks[9].clone()];
    for length in [1, 60, 990, next.len() - 1] {
        let walked = newest.walk(&next[..length]);
        assert!(is_half_written(&walked), "{length}");
        assert_eq!(walked.unread, length as u64);
        assert_eq!(walked.unlinked(), [0; 0]);
    }
    // The block after it, which neither names the last one nor has the next number; before its
    // number is there, that is not known.
    let later = &newest.bytes[newest.blocks[10].clone()];
    assert!(newest.is_half_written(&later[..5]));
    assert!(!newest.is_half_written(&later[..60]));
    assert!(!newest.is_half_written(&later[..later.len() - 1]));
}

/// Beginnings of blocks that cannot follow: of an earlier era, with another number, with an
/// earlier slot or one of another chunk. The number has one byte or three here.
#[test]
fn beginnings_of_blocks() {
    let Some(newest) = Newest::new() else { return };
    let last = newest.walk(&[]).blocks.pop().unwrap().place;
    let number = last.number + 1;
    let [high, low] = (number as u16).to_be_bytes();
    let [_, _, _, _, s4, s3, s2, s1] = (last.slot + 1).to_be_bytes();
    let head = [0x82, 0x05, 0x85, 0x82, 0x8f, 0x19, high, low];
    let begun = |bytes: &[u8]| newest.is_half_written(bytes);
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
}

#[test]
fn bytes_that_begin_no_block() {
    let Some(newest) = Newest::new() else { return };
    let next = newest.blocks[9].clone();
    let next = &newest.bytes[next];
    let changed = |length: usize, at: usize, byte: u8| {
        let mut bytes = next[..length].to_vec();
        bytes[at] = byte;
        newest.is_half_written(&bytes)
    };
    let all_but_one = next.len() - 1;
    assert!(!changed(all_but_one, 3, 0x62));
    assert!(!changed(60, 5, 0x60));
    assert!(!changed(all_but_one, 6, next[6] ^ 1));
    assert!(!newest.is_half_written(&next[1..]));
}

#[test]
fn a_half_written_block_before_the_newest_chunk() {
    let Some(copy) = Copy::of(0..4) else { return };
    copy.edit(2, "chunk", |bytes| bytes.truncate(bytes.len() - 1));
    copy.remove(2, "secondary");
    assert!(!is_half_written(&copy.walk()));
}

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
    let unchecked =
        format!("warning: crc-unchecked: chunk 00001: CRC-32 of {blocks} blocks not checked");
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
    assert_eq!(
        walked.faults(),
        ["missing-chunks: chunk 00030: chunks 00030 to 00031 are missing"]
    );
    assert_eq!(walked.unlinked(), [walked.first_from(32)]);
    assert_eq!(walked.warnings(), Vec::<String>::new());

    // Empty files mean that there were no blocks; the link shows that there were.
    for chunk in [30, 31] {
        copy.write(chunk, "chunk", &[]);
    }
    let walked = copy.walk();
    assert_eq!(walked.faults.len(), 1);
    assert!(matches!(walked.faults[0].fault, Fault::HashLink { .. }));
    assert_eq!(walked.unlinked(), [walked.first_from(32)]);

    // A directory in place of a file.
    std::fs::remove_file(copy.file(30, "chunk")).unwrap();
    std::fs::create_dir(copy.file(30, "chunk")).unwrap();
    let walked = copy.walk();
    assert_eq!(walked.faults(), Vec::<String>::new());
    let note = walked.notes()[0].clone();
    assert!(
        note.starts_with("note: io: chunk 00030: cannot be read: "),
        "{note}"
    );
    let why = "00030.chunk: is a directory, expected a regular file";
    assert!(note.ends_with(why), "{note}");
    assert_eq!(walked.unlinked(), [walked.first_from(32)]);

    // One alone.
    let Some(copy) = Copy::of(0..120) else { return };
    for extension in ["chunk", "primary", "secondary"] {
        copy.remove(19, extension);
    }
    let walked = copy.walk();
    assert_eq!(
        walked.faults(),
        ["missing-chunks: chunk 00019: the chunk is missing"]
    );
    assert_eq!(walked.unlinked(), [walked.first_from(20)]);
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
