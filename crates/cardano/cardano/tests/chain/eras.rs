//! Tests with block tags that are wrong for their epoch, or that belong to no known era.

use klero_cardano::{Era, Start};

use crate::copy::{Copy, assert_same};

#[test]
fn tags_that_are_not_the_eras() {
    let Some(copy) = Copy::of(60..64) else { return };
    let whole = copy.walk_from(Start::Anywhere);
    assert_eq!((whole.faults(), whole.warnings()), (vec![], vec![]));
    // All these chunks are of Babbage. Three blocks get the tag of Conway, whose stability window differs.
    for block in [3, 4, 5] {
        let start = copy.blocks(61)[block].start;
        copy.edit(61, "chunk", |bytes| bytes[start + 1] = 7);
        copy.repair(61, block);
    }
    let walked = copy.walk_from(Start::Anywhere);
    assert_eq!(walked.faults().len(), 1);
    assert!(walked.faults()[0].ends_with("a Conway block in an epoch that is not of that era"));
    // Only the eras of these three blocks differ.
    let mut expected = whole;
    for (block, found) in expected.blocks.iter_mut().zip(&walked.blocks) {
        if found.place.era == Era::Conway {
            block.place.era = Era::Conway;
        }
    }
    assert_same(&walked, &expected);
}

/// At blocks of an unknown era, the walk ends with one note, unless blocks of a known era follow.
#[test]
fn an_era_to_come() {
    let Some(copy) = Copy::of(60..64) else { return };
    let whole = copy.walk_from(Start::Anywhere);
    let to_come = |chunk: u64, blocks: std::ops::Range<usize>| {
        for block in blocks {
            let start = copy.blocks(chunk)[block].start;
            copy.edit(chunk, "chunk", |bytes| bytes[start + 1] = 9);
            copy.repair(chunk, block);
        }
    };
    let count = copy.blocks(62).len();
    to_come(62, count - 7..count);
    // Blocks of a known era follow, so the unknown tags are damage.
    let walked = copy.walk_from(Start::Anywhere);
    assert_eq!(walked.notes(), Vec::<String>::new());
    let faults = walked.faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("block tag 9 is not known"), "{faults:?}");

    to_come(63, 0..copy.blocks(63).len());
    for index in [true, false] {
        let walked = copy.walk_from(Start::Anywhere);
        assert_eq!(walked.faults(), Vec::<String>::new());
        let known = whole.blocks.iter().filter(|block| block.chunk < 62).count() + count - 7;
        assert_eq!(walked.blocks.len(), known);
        let (last, first) = (&whole.blocks[known - 1].place, &whole.blocks[known].place);
        let slot = if index { first.slot } else { last.slot + 1 };
        let words = format!(
            "blocks of an era this version does not know (tag 9) from slot {slot} on; update klero"
        );
        assert_eq!(walked.notes.len(), 1);
        assert!(walked.notes()[0].ends_with(&words), "{:?}", walked.notes());
        let read: u64 = walked.blocks.iter().map(|block| block.size).sum();
        let all: u64 = whole.blocks.iter().map(|block| block.size).sum();
        assert_eq!(walked.unread, all - read);
        if index {
            copy.remove(62, "secondary");
            copy.remove(63, "secondary");
        }
    }
}
