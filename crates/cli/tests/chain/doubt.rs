//! What one damaged block costs in the rest of a chain: nothing, if the nonces are right in spite of
//! it; and the proofs of the epochs whose nonces are wrong, of which none is called invalid.

use klero_cardano::{Block, Era};
use klero_forge::{ImmutableWriter, Position};

use crate::db::*;
use crate::run::{by_epoch, findings, in_doubt, recovers, report, total};

/// Many epochs of TPraos and Praos.
fn long() -> Chain {
    Chain::forged(&small(&[
        (Era::Shelley, 4),
        (Era::Alonzo, 3),
        (Era::Babbage, 3),
        (Era::Conway, 3),
    ]))
}

/// The block in the window of the first epoch that is damaged, and one after it.
fn victims(chain: &Chain) -> [&Block; 2] {
    [true, false].map(|in_window| {
        chain.find(|block| {
            block.epoch == 0
                && block.in_window == in_window
                && chain
                    .blocks
                    .iter()
                    .all(|other| other.place.slot != block.place.slot ^ 1)
        })
    })
}

/// Damage that leaves all nonces right: what it is found as, and how many proofs it makes invalid.
fn harmless(chain: &Chain, most: usize) {
    for block in victims(chain) {
        let slot = block.place.slot;
        let kes = format!("invalid-kes at {slot}");
        let crc = format!("crc at {slot}");
        let damaged = |change: &dyn Fn(&mut [u8])| {
            let db = chain.copy(chain.chunks());
            db.change_block(block, Repair::Nothing, change);
            report(db.dir.path(), &chain.options, 1)
        };
        let ran = damaged(&|bytes| flip_kes(block)(bytes));
        recovers(&ran, 0);
        assert_eq!(findings(&ran), [crc.clone(), kes.clone()]);
        assert_eq!(total(&ran, "valid"), chain.proofs_from(0));
        if most == 1 {
            continue;
        }
        let ran = damaged(&|bytes| flip_body(block)(bytes));
        recovers(&ran, 0);
        assert_eq!(findings(&ran), std::slice::from_ref(&crc));
        for (claim, kind) in [(0, "eta"), (1, "leader")] {
            let ran = damaged(&|bytes| flip_proof(block, claim)(bytes));
            recovers(&ran, 1);
            let proof = format!("{kind} at {slot}: challenge mismatch");
            assert_eq!(findings(&ran), [crc.clone(), proof, kes.clone()]);
        }
        let ran = damaged(&|bytes| flip_slot(block)(bytes));
        recovers(&ran, 2);
        // An output that does not feed the nonces.
        let ran = damaged(&|bytes| flip_output(block, 1)(bytes));
        recovers(&ran, 1);
    }
}

/// A copy of a chain without one block, with an index that fits.
fn without(chain: &Chain, block: &Block) -> Db {
    let db = chain.copy(0);
    std::fs::remove_dir(db.immutable()).unwrap();
    let size = chain.network.chunk_size();
    let mut writer = ImmutableWriter::create(&db.immutable(), size).unwrap();
    for other in &chain.blocks {
        if other.place != block.place {
            let position = Position::Slot(other.place.slot);
            writer.append(position, &chain.bytes(other)).unwrap();
        }
    }
    writer.finish().unwrap();
    db
}

#[test]
fn damage_that_leaves_the_nonces_right() {
    harmless(&long(), usize::MAX);
    // Each takes a run over the whole chain.
    if let Some(chain) = Chain::preview() {
        harmless(&chain, 1);
    }
}

/// Two damaged headers in one epoch, and one in the next, before and after its nonce is shown to
/// be right.
#[test]
fn more_damage() {
    let chain = long();
    let of_epoch = |epoch: u64| {
        chain
            .blocks
            .iter()
            .filter(move |block| block.epoch == epoch)
    };
    for at in [0, 1, 4, 20] {
        let db = chain.copy(chain.chunks());
        let mut damaged: Vec<&Block> = victims(&chain).into();
        damaged.extend(of_epoch(1).nth(at));
        damaged.extend(of_epoch(3).next_back());
        for block in &damaged {
            db.change_block(block, Repair::Nothing, flip_kes(block));
        }
        let ran = report(db.dir.path(), &chain.options, 1);
        recovers(&ran, 0);
        assert_eq!(ran["totals"]["kes"]["invalid"], damaged.len());
    }
}

#[test]
fn damage_that_makes_the_nonces_wrong() {
    let wrong = |chain: &Chain, block: &Block, db: &Db, invalid: u64| {
        let ran = report(db.dir.path(), &chain.options, 1);
        assert_eq!(total(&ran, "invalid"), invalid);
        let from = block.epoch + if block.in_window { 1 } else { 2 };
        let unverifiable: Vec<u64> = by_epoch(&ran, "unverifiable")
            .iter()
            .map(|(epoch, _)| *epoch)
            .collect();
        let last = chain.blocks.last().unwrap().epoch;
        assert_eq!(unverifiable, (from..=last).collect::<Vec<_>>());
        assert_eq!(total(&ran, "unverifiable"), chain.proofs_from(from));
        ran
    };
    let chain = long();
    for block in victims(&chain) {
        let db = chain.copy(chain.chunks());
        db.change_block(block, Repair::Nothing, flip_output(block, 0));
        let ran = wrong(&chain, block, &db, 1);
        let from = block.epoch + if block.in_window { 1 } else { 2 };
        in_doubt(&chain, &ran, from, block.place.slot, 1);

        let ran = wrong(&chain, block, &without(&chain, block), 0);
        let next = chain.after(block).place.slot;
        assert_eq!(findings(&ran)[0], format!("hash-link at {next}"));
    }
    if let Some(chain) = Chain::preview() {
        let [block, _] = victims(&chain);
        wrong(&chain, block, &without(&chain, block), 0);
    }
}
