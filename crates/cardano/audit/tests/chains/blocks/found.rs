//! The findings about bytes that are not a block, and the places of these findings.

use klero_audit::{Check, Outcome};
use klero_forge::Recipe;

use crate::db::Made;
use crate::run::{fails, run};

/// Replaces a block in the middle of a chain with `bytes`. The finding must have the block's position in the
/// iterator, and also the block's slot if `bytes` begins with the block's header.
fn is_found(chain: &Made, bytes: Vec<u8>, has_header: bool, says: &str) {
    let at = chain.blocks.len() / 2;
    let slot = chain.blocks[at].listed;
    let length = bytes.len() as u64;
    let mut blocks = chain.blocks.clone();
    blocks[at].bytes = bytes;
    let ran = fails(chain.audit_of(&blocks));
    let (fault, location) = (&ran.found[0].fault, &ran.found[0].at);
    assert_eq!((location.item, location.offset), (Some(at as u64), None));
    assert_eq!(location.slot, has_header.then_some(slot), "{says}");
    let (name, reason) = says.split_once(": ").unwrap();
    assert_eq!(fault.name(), name);
    let text = ran.found[0].to_string();
    assert!(text.contains(reason), "{text}");
    assert!(text.contains(&format!("item {at}")), "{text}");
    let lost = name == "unreadable";
    let read = chain.blocks.len() - usize::from(lost);
    assert_eq!(ran.totals().blocks, read as u64);
    assert_eq!(ran.report.unread_bytes, if lost { length } else { 0 });
}

/// Replaces a block by various bytes, and expects the right finding for each of them.
#[test]
fn bytes_that_are_no_block_are_found_at_their_number() {
    let chain = Made::of(&Recipe::sample());
    let at = chain.blocks.len() / 2;
    let block = &chain.blocks[at].bytes[..];
    let next = &chain.blocks[at + 1].bytes;
    let all_but_one = &block[..block.len() - 1];
    let zeros = vec![0; 9 << 20];
    let found = |bytes: &[&[u8]], has_header: bool, says: &str| {
        is_found(&chain, bytes.concat(), has_header, says);
    };
    found(&[], false, "unreadable: the block does not end");
    found(&[b"not a block"], false, "unreadable: no block begins here");
    let not_its_body = "body-hash: the body does not have the parts of its era";
    found(&[all_but_one], true, not_its_body);
    found(&[&block[..100]], true, "unreadable: the block does not end");
    found(&[block, next], true, not_its_body);
    found(&[&zeros], false, "unreadable: no block begins here");
    found(&[block, &zeros], true, "unreadable: the block ends at byte");
    // A list that does not end within 9 MiB.
    found(
        &[all_but_one, &[0x9b, 0, 0, 0, 0, 1, 0, 0, 0], &zeros],
        true,
        "unreadable: no block ends within 4194304 bytes",
    );
}

/// Where bodies are not checked, as in Byron, a block that lacks its last byte or has one more is unreadable.
#[test]
fn a_block_ends_where_its_bytes_do() {
    let chain = Made::of(&Recipe::sample());
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
            let ran = fails(chain.audit_of(&blocks).only(checks.iter().copied()));
            assert_eq!(ran.report.found, [("unreadable", 1)].into(), "{at} {cut}");
        }
    }
}

/// Blocks of an unknown era get a note at the end of the chain, but a fault in the middle, as in files.
#[test]
fn eras_to_come() {
    let chain = Made::of(&Recipe::sample());
    let n = chain.blocks.len();
    for (range, outcome) in [
        (n - 4..n, Outcome::NotAllRead),
        (n / 2..n / 2 + 4, Outcome::SomeInvalid),
    ] {
        let mut blocks = chain.blocks.clone();
        for block in &mut blocks[range.clone()] {
            block.bytes[1] = 9;
        }
        let ran = run(chain.audit_of(&blocks), outcome);
        let unread: usize = range.clone().map(|at| blocks[at].bytes.len()).sum();
        assert_eq!(ran.totals().blocks as usize, n - range.len());
        assert_eq!(ran.report.unread_bytes as usize, unread);
        let text = ran.found[0].to_string();
        assert!(text.contains(&format!(": item {}", range.start)), "{text}");
        assert!(text.contains("tag 9"), "{text}");
    }
}
