//! The effects of damaged blocks on the rest of a chain. If the nonces are still right, there are no effects.
//! Otherwise, the proofs of the epochs with wrong nonces are unverifiable, but none of them is called
//! invalid.

use klero_cardano::{Block, Era};
use klero_damage::{Flip, Repair};
use klero_forge::Recipe;

use crate::db::{Chain, Copy};
use crate::run::{fails, first_in_doubt};

/// A chain with many epochs of TPraos and Praos.
fn long() -> Chain {
    Chain::forged(&Recipe::of_eras(&[
        (Era::Shelley, 4),
        (Era::Alonzo, 3),
        (Era::Babbage, 3),
        (Era::Conway, 3),
    ]))
}

/// Two blocks of the first epoch to damage: one in the window, and one after it.
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

/// A copy of a chain without one block, with a correct index.
fn without(chain: &Chain, block: &Block) -> Copy {
    chain.rewritten(block, Vec::clear)
}

/// Damages two headers in epoch 0, one in epoch 1, and one in epoch 3. The header in epoch 1 comes before or
/// after the first valid proof shows that the nonce of epoch 1 is right.
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
        let copy = chain.copy();
        let mut damaged: Vec<&Block> = victims(&chain).into();
        damaged.extend(of_epoch(1).nth(at));
        damaged.extend(of_epoch(3).next_back());
        for block in &damaged {
            copy.flip(block, Flip::Kes, Repair::Nothing).unwrap();
        }
        let ran = fails(chain.audit(&copy));
        ran.recovers(0);
        assert_eq!(ran.totals().kes.invalid, damaged.len() as u64);
    }
}

#[test]
fn a_lost_block_makes_the_nonces_wrong() {
    let lose = |chain: &Chain, block: &Block| {
        let ran = fails(chain.audit(&without(chain, block)));
        assert_eq!(ran.totals().invalid, 0);
        let unverifiable = ran.by_epoch(|counts| counts.unverifiable);
        let unverifiable: Vec<u64> = unverifiable.iter().map(|(epoch, _)| *epoch).collect();
        let (from, last) = (first_in_doubt(block), chain.blocks.last().unwrap().epoch);
        assert_eq!(unverifiable, (from..=last).collect::<Vec<_>>());
        assert_eq!(ran.totals().unverifiable, chain.proofs_from(from));
        ran
    };
    let chain = long();
    for block in victims(&chain) {
        let next = chain.after(block).place.slot;
        let link = format!("hash-link at {next}");
        assert_eq!(lose(&chain, block).findings()[0], link);
    }
    if let Some(chain) = Chain::unknown_network() {
        lose(&chain, victims(&chain)[0]);
    }
}

#[test]
fn nonces_that_are_built_in_are_never_in_doubt() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    let [block, _] = victims(&chain);
    let lost = without(&chain, block);
    let altered = chain.copy();
    altered
        .flip(block, Flip::Output(0), Repair::Nothing)
        .unwrap();
    for (copy, invalid) in [(&lost, 0), (&altered, 1)] {
        let ran = fails(chain.audit(copy));
        ran.recovers(invalid);
        // Where a link is broken, built-in nonces do not show that the chain belongs to the network.
        assert_eq!(ran.report.tied, None);
        assert!(!ran.report.found.contains_key("epoch-nonce"));
    }
}
