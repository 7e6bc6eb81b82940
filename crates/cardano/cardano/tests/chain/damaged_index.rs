//! Tests with damaged index files. The walk warns about the damaged file, and still reads every block.

use fastrand::Rng;
use klero_cardano::{Fault, IndexFile};

use crate::copy::{Copy, assert_same};
use crate::rounds;

#[test]
fn a_damaged_index_is_a_warning() {
    let Some(copy) = Copy::of(0..2) else { return };
    let whole = copy.walk();
    let mut rng = Rng::with_seed(2);
    for file in [IndexFile::Primary, IndexFile::Secondary] {
        for round in 0..rounds(400) {
            let chunk = rng.u64(..2);
            let bytes = copy.read(chunk, &file.to_string());
            let mut broken = bytes.clone();
            match round % 5 {
                // A flipped bit.
                0 | 1 => broken[rng.usize(..bytes.len())] ^= 1 << rng.usize(..8),
                // A stretch of zeros.
                2 => {
                    let start = rng.usize(..bytes.len());
                    let end = (start + 1 + rng.usize(..400)).min(bytes.len());
                    broken[start..end].fill(0);
                }
                // The end is missing.
                3 => broken.truncate(rng.usize(..bytes.len())),
                // Extra bytes at the end, which may be whole entries. They are not mistaken for entries of
                // lost blocks: the offset in the first such entry would be the length of the chunk.
                _ => broken.resize(bytes.len() + [1, 56, 280][rng.usize(..3)], 0xab),
            }
            copy.write(chunk, &file.to_string(), &broken);
            let walked = copy.walk();
            copy.write(chunk, &file.to_string(), &bytes);
            assert_eq!(walked.faults(), Vec::<String>::new(), "round {round}");
            assert_same(&walked, &whole);
            // The primary index of the newest chunk may end early. So a cut need not cause a warning.
            let excused = file == IndexFile::Primary && chunk == 1 && round % 5 == 3;
            if broken != bytes && !excused {
                assert!(!walked.warnings.is_empty(), "round {round}");
            }
            for warning in &walked.warnings {
                assert_eq!(warning.at.chunk, chunk);
                match &warning.fault {
                    Fault::Index { file: named, .. } => assert_eq!(*named, file),
                    Fault::CrcUnchecked { .. } => assert_eq!(file, IndexFile::Secondary),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

#[test]
fn an_index_can_be_missing() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    copy.remove(1, "primary");
    let walked = copy.walk();
    assert_same(&walked, &whole);
    assert_eq!(
        walked.warnings(),
        ["warning: index: chunk 00001: the primary index is missing"]
    );
    copy.remove(1, "secondary");
    let walked = copy.walk();
    assert_same(&walked, &whole);
    assert_eq!(
        walked.warnings(),
        [
            "warning: index: chunk 00001: the secondary index is missing",
            "warning: index: chunk 00001: the primary index is missing",
            "warning: crc-unchecked: chunk 00001: CRC-32 of 216 blocks not checked",
        ]
    );
    assert_eq!(walked.faults(), Vec::<String>::new());
    // Two more: the secondary index is missing, and CRC-32s are not checked. The primary index is right.
    copy.remove(2, "secondary");
    assert_eq!(copy.walk().warnings().len(), 5);
}

#[test]
fn an_index_can_be_empty() {
    let Some(copy) = Copy::of(0..2) else { return };
    let whole = copy.walk();
    for (chunk, blocks) in [(0, copy.blocks(0).len()), (1, copy.blocks(1).len())] {
        let bytes = copy.read(chunk, "secondary");
        copy.write(chunk, "secondary", &[]);
        let walked = copy.walk();
        assert_same(&walked, &whole);
        assert_eq!(walked.faults(), Vec::<String>::new());
        let damaged = format!("warning: index: chunk {chunk:05}: the secondary index is damaged");
        let unchecked = |blocks| {
            format!(
                "warning: crc-unchecked: chunk {chunk:05}: CRC-32 of {blocks} blocks not checked"
            )
        };
        let expected = [
            format!("{damaged}: it lists 0 of {blocks} blocks"),
            unchecked(blocks),
        ];
        assert_eq!(walked.warnings(), expected);

        // The last three entries are missing. This is damage, but the newest chunk's index may lag behind.
        copy.write(chunk, "secondary", &bytes[..bytes.len() - 3 * 56]);
        let warnings = copy.walk().warnings();
        copy.write(chunk, "secondary", &bytes);
        let mut expected = vec![unchecked(3)];
        if chunk == 0 {
            let listed = blocks - 3;
            expected.insert(
                0,
                format!("{damaged}: it lists {listed} of {blocks} blocks"),
            );
        }
        assert_eq!(warnings, expected);
    }
}

/// The secondary index of chunk 1 lacks some blocks, and the primary index of chunk 2 lacks a block.
#[test]
fn the_indexes_disagree() {
    let Some(copy) = Copy::of(0..3) else { return };
    let whole = copy.walk();
    copy.edit(1, "secondary", |bytes| {
        bytes.drain(56 * 10..56 * 42);
    });
    copy.edit(2, "primary", |bytes| {
        // Makes the slot of the first block empty.
        let first = bytes[1..]
            .chunks_exact(4)
            .position(|offset| offset != [0; 4])
            .unwrap();
        bytes[1 + 4 * first..][..4].fill(0);
    });
    let walked = copy.walk();
    assert_same(&walked, &whole);
    assert_eq!(walked.faults(), Vec::<String>::new());
    let warnings = walked.warnings();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert_eq!(
        warnings[..2],
        [
            "warning: index: chunk 00001: the secondary index is damaged: it lists 184 of 216 blocks",
            "warning: crc-unchecked: chunk 00001: CRC-32 of 32 blocks not checked",
        ]
    );
    assert!(
        warnings[2].ends_with(
            "the primary index is damaged: it leads to byte 0 after relative slot 1, expected 56"
        ),
        "{warnings:?}"
    );
}
