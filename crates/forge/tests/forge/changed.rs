//! Changed blocks in a chain whose index, and perhaps links, are right again.

use klero_cardano::{Block, Claims, Era, FindingKind, Start};
use klero_forge::{Entry, ImmutableWriter};
use tempfile::TempDir;

use crate::checks::{Chain, make, small};
use crate::walk::{invalid_slots, walk};

/// A copy of a chain with one block changed, its index repaired and, if `relink` says so, every
/// later link. Signatures are then invalid, but are not checked.
fn changed(chain: &Chain, at: usize, relink: bool, change: impl FnOnce(&mut Vec<u8>)) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let immutable = dir.path().join("immutable");
    let mut writer = ImmutableWriter::create(&immutable, 10 * chain.recipe.k).unwrap();
    let mut change = Some(change);
    let mut renamed: Option<([u8; 32], [u8; 32])> = None;
    for (i, stored) in chain.blocks.iter().enumerate() {
        let before = Entry::of(&stored.bytes).unwrap();
        let mut bytes = stored.bytes.clone();
        if let Some(change) = change.take_if(|_| i == at) {
            change(&mut bytes);
        }
        if let Some((old, new)) = renamed.filter(|_| relink) {
            replace(&mut bytes, &old, &new);
        }
        let entry = writer.append(stored.position(), &bytes).unwrap();
        renamed = (entry.hash != before.hash).then_some((*before.hash, *entry.hash));
    }
    writer.finish().unwrap();
    dir
}

/// Replaces the first occurrence, which must be there.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) {
    let at = bytes
        .windows(old.len())
        .position(|window| window == old)
        .unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
}

/// Flips a bit in a certificate of the block that `block` was read from.
fn flip(block: &Block, proof: bool) -> impl FnOnce(&mut Vec<u8>) {
    let Claims::Made(claims) = &block.claims else {
        panic!("no claims")
    };
    let mut old = match proof {
        true => claims[0].proof.to_vec(),
        false => claims[0].output.to_vec(),
    };
    move |bytes| {
        let mut new = old.clone();
        new[40] ^= 1;
        replace(bytes, &old, &new);
        old.clear();
    }
}

#[test]
fn a_changed_proof_with_a_repaired_index() {
    let chain = make(small(&[
        (Era::Byron, 1),
        (Era::Shelley, 2),
        (Era::Conway, 2),
    ]));
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let last = whole.blocks.iter().rposition(|block| block.epoch == 3);
    let at = last.unwrap() - 5;
    let slot = whole.blocks[at].place.slot;

    // Its hash changed, so the next block does not name it.
    let dir = changed(&chain, at, false, flip(&whole.blocks[at], true));
    let walked = walk(&dir, network, Start::Genesis);
    let [fault] = &walked.faults[..] else {
        panic!("{:?}", walked.faults)
    };
    assert!(matches!(fault.kind, FindingKind::HashLink { .. }));
    assert_eq!(fault.location.slot, Some(whole.blocks[at + 1].place.slot));
    assert_eq!(invalid_slots(&walked), [slot]);

    // With repaired links only the proof is wrong. (They change the nonce of the epoch after the
    // next; this chain ends before.)
    let dir = changed(&chain, at, true, flip(&whole.blocks[at], true));
    let walked = walk(&dir, network, Start::Genesis);
    assert_eq!(walked.faults, []);
    assert_eq!(invalid_slots(&walked), [slot]);
}

#[test]
fn a_changed_output_with_everything_else_repaired() {
    let chain = make(small(&[(Era::Shelley, 2), (Era::Conway, 2)]));
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let blocks = || whole.blocks.iter();
    let last_of = |epoch| blocks().rposition(|block| block.epoch == epoch).unwrap();
    let first_of = |epoch| blocks().position(|block| block.epoch == epoch).unwrap();

    // After the window: the candidate is frozen, the next epoch is as it was.
    let late = last_of(1);
    assert!(!whole.blocks[late].in_window);
    let dir = changed(&chain, late, true, flip(&whole.blocks[late], false));
    let walked = walk(&dir, network, Start::Genesis);
    assert_eq!(walked.faults, []);
    let slots = invalid_slots(&walked);
    assert_eq!(slots[0], whole.blocks[late].place.slot);
    // The one after the next.
    assert!(slots[1..].iter().all(|slot| network.epoch(*slot) == 3));
    assert_eq!(slots.len(), 1 + last_of(3) + 1 - first_of(3));

    // In the window: every later block.
    let early = first_of(1);
    assert!(whole.blocks[early].in_window);
    let dir = changed(&chain, early, true, flip(&whole.blocks[early], false));
    let walked = walk(&dir, network, Start::Genesis);
    assert_eq!(walked.faults, []);
    let slots = invalid_slots(&walked);
    assert_eq!(slots.len(), 1 + last_of(3) + 1 - first_of(2));
}
