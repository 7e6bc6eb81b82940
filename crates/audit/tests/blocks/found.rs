//! Bytes that are no block: what is found, and where.

use klero_audit::{Check, Occurrence, Outcome};

use crate::chain::Chain;
use crate::seen::run;

/// What is found where it can be named in advance.
#[test]
fn bytes_that_are_no_block_are_found_at_their_number() {
    let chain = Chain::sample();
    let at = chain.blocks.len() / 2;
    let block = chain.blocks[at].bytes.clone();
    let slot = chain.blocks[at].listed;
    let joined = [&block[..], &chain.blocks[at + 1].bytes].concat();
    let header = "body-hash: the body does not have the parts of its era";
    for (bytes, known, says) in [
        (vec![], false, "unreadable: the block does not end"),
        (
            b"not a block".to_vec(),
            false,
            "unreadable: no block begins here",
        ),
        (block[..block.len() - 1].to_vec(), true, header),
        (
            block[..100].to_vec(),
            true,
            "unreadable: the block does not end",
        ),
        (joined, true, header),
        (vec![0; 9 << 20], false, "unreadable: no block begins here"),
        (
            [&block[..], &vec![0; 9 << 20]].concat(),
            true,
            "unreadable: the block ends at byte",
        ),
        // A list that goes on for 9 MiB.
        (
            [
                &block[..block.len() - 1],
                &[0x9b, 0, 0, 0, 0, 1, 0, 0, 0],
                &vec![0; 9 << 20],
            ]
            .concat(),
            true,
            "unreadable: no block ends within 4194304 bytes",
        ),
    ] {
        let mut blocks = chain.blocks.clone();
        blocks[at].bytes = bytes;
        let length = blocks[at].bytes.len() as u64;
        let (report, findings) = run(chain.audit(&blocks), 2).unwrap();
        assert_eq!(report.outcome(), Outcome::SomeInvalid);
        let Occurrence::Read(fault) = &findings[0].first else {
            panic!("{}", findings[0])
        };
        let location = &fault.location;
        assert_eq!((location.item, location.offset), (Some(at as u64), None));
        assert_eq!(location.slot, known.then_some(slot), "{says}");
        let (name, reason) = says.split_once(": ").unwrap();
        assert_eq!(fault.kind.name(), name);
        assert!(findings[0].to_string().contains(reason), "{}", findings[0]);
        assert!(
            findings[0].to_string().contains(&format!(": item {at}")),
            "{}",
            findings[0]
        );
        let lost = name == "unreadable";
        let read = chain.blocks.len() - usize::from(lost);
        assert_eq!(report.totals.blocks, read as u64);
        assert_eq!(report.unread_bytes, if lost { length } else { 0 });
    }
}

/// In Byron, and where bodies are not checked, nothing else shows where a block ends.
#[test]
fn a_block_ends_where_its_bytes_do() {
    let chain = Chain::sample();
    let byron = 3;
    let babbage = chain.blocks.len() - 300;
    for (at, checks) in [(byron, &Check::ALL[..]), (babbage, &[Check::Vrf])] {
        for cut in [false, true] {
            let mut blocks = chain.blocks.clone();
            let bytes = &mut blocks[at].bytes;
            if cut {
                bytes.pop();
            } else {
                bytes.push(0);
            }
            let audit = chain.audit(&blocks).only(checks.iter().copied());
            let (report, _) = run(audit, 1).unwrap();
            assert_eq!(report.faults, [("unreadable", 1)].into(), "{at} {cut}");
        }
    }
}

/// Blocks of an unknown era at the end are not read, and in the middle damaged, as in files.
#[test]
fn eras_to_come() {
    let chain = Chain::sample();
    let n = chain.blocks.len();
    for (range, outcome) in [
        (n - 4..n, Outcome::NotAllRead),
        (n / 2..n / 2 + 4, Outcome::SomeInvalid),
    ] {
        let mut blocks = chain.blocks.clone();
        for block in &mut blocks[range.clone()] {
            block.bytes[1] = 9;
        }
        let (report, findings) = run(chain.audit(&blocks), 2).unwrap();
        assert_eq!(report.outcome(), outcome);
        let text = findings[0].to_string();
        assert!(text.contains(&format!(": item {}", range.start)), "{text}");
        assert!(text.contains("tag 9"), "{text}");
    }
}
