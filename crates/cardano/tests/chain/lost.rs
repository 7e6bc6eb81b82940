//! Chunks that end too early, are empty or are not there.

use klero_cardano::{FaultKind, Immutable, Network, Start, Walk, WalkError};

use crate::copy::{ALL, Copy, EPOCH};
use crate::dice::{Dice, rounds};

#[test]
fn a_cut_chunk() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    let mut dice = Dice(3);
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
        let mut cuts: Vec<usize> = (0..rounds(60)).map(|_| dice.below(bytes.len())).collect();
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
                let kinds: Vec<&FaultKind> =
                    walked.faults.iter().map(|fault| &fault.kind).collect();
                let start = blocks[complete].start as u64;
                let missing = if index {
                    (blocks.len() - complete) as u64
                } else {
                    0
                };
                match &kinds[..] {
                    [
                        FaultKind::Truncated {
                            length,
                            incomplete: None,
                            missing: found,
                        },
                    ] => {
                        assert!(boundary && index);
                        assert_eq!((*length, *found), (cut as u64, missing));
                    }
                    [
                        FaultKind::Truncated {
                            length,
                            incomplete,
                            missing: found,
                        },
                    ] => {
                        assert!(!boundary);
                        assert_eq!((*length, *incomplete), (cut as u64, Some(start)));
                        assert_eq!(*found, missing.saturating_sub(1));
                    }
                    // Cut between two blocks without an index to tell: the next chunk tells.
                    [FaultKind::HashLink { .. }] => assert!(boundary && !index && chunk == 1),
                    [] => assert!(boundary && !index && chunk == 2),
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

    // Empty files say that there were no blocks; the link says otherwise.
    for chunk in [30, 31] {
        copy.write(chunk, "chunk", &[]);
    }
    let walked = copy.walk();
    assert_eq!(walked.faults.len(), 1);
    assert!(matches!(walked.faults[0].kind, FaultKind::HashLink { .. }));
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
    assert_eq!(
        copy.walk().faults()[0],
        "chunk 00030: cannot be read: not a file"
    );

    // The last chunks of an epoch: the next one hangs on them only by its hash.
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
