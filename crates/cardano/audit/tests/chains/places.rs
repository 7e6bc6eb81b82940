//! Blocks that are not where they belong: their number, slot or era does not fit the chain at that point.

use klero_cardano::{Block, Era, Fault};
use klero_damage::Repair;
use klero_forge::Recipe;

use crate::db::{Chain, Copy};
use crate::run::fails;

/// A chain, and two blocks in the middle of its last chunk. They are in the last epoch, so no later nonce
/// depends on a changed header.
fn chain() -> (Chain, Block, Block) {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Babbage, 2), (Era::Conway, 2)]));
    let blocks = chain.in_chunk(chain.chunks() - 1);
    let middle = blocks.len() / 2;
    let [block, next] = [middle, middle + 1].map(|n| blocks[n].clone());
    (chain, block, next)
}

fn cbor(n: u64) -> Vec<u8> {
    match n {
        0..=0x17 => vec![n as u8],
        0x18..=0xff => vec![0x18, n as u8],
        _ => [&[0x19][..], &u16::try_from(n).unwrap().to_be_bytes()].concat(),
    }
}

/// Writes another number and slot into the header of a block.
fn put(block: &Block, bytes: &mut Vec<u8>, number: u64, slot: u64) {
    let of = |number, slot| [cbor(number), cbor(slot)].concat();
    let before = of(block.place.number, block.place.slot);
    let mut windows = bytes.windows(before.len());
    let at = windows.position(|window| window == before).unwrap();
    bytes.splice(at..at + before.len(), of(number, slot));
}

/// The findings of an audit without checks of signatures and proofs. Findings about indexes are left out.
fn found(chain: &Chain, copy: &Copy) -> Vec<String> {
    let mut found = fails(chain.audit(copy).only([])).findings();
    found.retain(|line| !line.starts_with("warning: "));
    found
}

#[test]
fn another_number() {
    let (chain, block, next) = chain();
    let (number, slot) = (block.place.number, block.place.slot);
    for other in [number - 1, number + 1] {
        let copy = chain.rewritten(&block, |bytes| put(&block, bytes, other, slot));
        let expected = format!("block-number at {slot} x2 to {}", next.place.slot);
        assert_eq!(found(&chain, &copy), [expected]);
    }
}

#[test]
fn the_slot_of_the_block_before() {
    let (chain, block, next) = chain();
    let slot = block.place.slot;
    let number = next.place.number;
    let copy = chain.rewritten(&next, |bytes| put(&next, bytes, number, slot));
    assert_eq!(found(&chain, &copy), [format!("slot-order at {slot}")]);
}

#[test]
fn the_slots_around_a_chunk() {
    let (chain, ..) = chain();
    let size = chain.network.chunk_size();
    let blocks = chain.in_chunk(chain.chunks() - 1);
    let (first, last) = (blocks[0], blocks[blocks.len() - 1]);
    let begin = first.chunk * size;
    for (block, slot) in [(first, begin - 1), (last, begin + size)] {
        let copy = chain.copy();
        let change = |bytes: &mut [u8]| {
            let mut moved = bytes.to_vec();
            put(block, &mut moved, block.place.number, slot);
            bytes.copy_from_slice(&moved);
        };
        let repair = Repair::CrcAndHash;
        copy.change_block(block, repair, change).unwrap();
        let expected = format!("outside-chunk at {slot}");
        let found = found(&chain, &copy);
        assert!(found.contains(&expected), "{found:?}");
    }
}

#[test]
fn an_era_that_has_ended() {
    let (chain, block, _) = chain();
    let copy = chain.copy();
    // The tag of Babbage, whose blocks have the same form.
    let change = |bytes: &mut [u8]| bytes[1] = 6;
    copy.change_block(&block, Repair::Crc, change).unwrap();
    let expected = format!("era at {}", block.place.slot);
    assert_eq!(found(&chain, &copy), [expected]);
    // Even if nothing is known about the epoch, the era of the block before shows that the tag is wrong.
    let after = Fault::Era {
        found: Era::Babbage,
        before: Some(Era::Conway),
    };
    let ran = fails(chain.audit(&copy).only([]));
    assert!(ran.found.iter().any(|finding| finding.fault == after));
}
