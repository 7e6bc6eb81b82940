//! Nonces and blocks that the caller gives, and what they show.

use std::collections::BTreeMap;

use klero_audit::{ExpectedBlock, Outcome};
use klero_cardano::{Block, Era, Nonce};
use klero_forge::{Flip, Recipe, Repair};

use crate::db::Chain;
use crate::run::{fails, run};

/// The nonces of these epochs.
fn nonces(chain: &Chain, epochs: impl IntoIterator<Item = u64>) -> BTreeMap<u64, Nonce> {
    let nonce = |epoch| {
        let mut blocks = chain.blocks.iter();
        let block = blocks.find(|block| block.epoch == epoch).unwrap();
        (epoch, block.nonces.as_ref().unwrap().eta0)
    };
    epochs.into_iter().map(nonce).collect()
}

#[test]
fn nonces_stand_in_for_those_in_doubt() {
    let chain = Chain::small();
    let block = chain.find(|block| block.place.era == Era::Mary && block.in_window);
    let copy = chain.copy();
    // All nonces after it are wrong.
    copy.flip(block, Flip::Output(0), Repair::Nothing).unwrap();
    let epochs = chain.epochs();
    let last = *epochs.keys().last().unwrap();
    let some = [block.epoch + 1, block.epoch + 4];
    let ran = fails(chain.audit(&copy).epoch_nonces(nonces(&chain, some)));
    let unverifiable: Vec<(u64, u64)> = epochs
        .iter()
        .map(|(epoch, counts)| (*epoch, counts.1))
        .filter(|(epoch, _)| *epoch > block.epoch && !some.contains(epoch))
        .collect();
    assert_eq!(ran.by_epoch(|counts| counts.unverifiable), unverifiable);
    assert_eq!(ran.totals().invalid, 1);

    // With all of them, the state passes the damage.
    let place = tempfile::tempdir().unwrap();
    let all = nonces(&chain, block.epoch + 1..=last);
    let audit = chain.audit(&copy).epoch_nonces(all);
    let ran = fails(audit.state(&place.path().join("state")).unwrap());
    ran.recovers(1);
    let saved = ran.report.state.unwrap();
    assert_eq!(saved.after, ran.report.tip);
    assert_eq!(saved.totals.proofs, chain.proofs_from(0) - 1);

    // Nonces that are wrong are no better: what fails is invalid by what was given.
    let wrong = nonces(&chain, [4]).remove(&4).unwrap();
    let wrong = BTreeMap::from([(last, wrong)]);
    let ran = fails(chain.audit(&copy).epoch_nonces(wrong));
    let invalid = ran.by_epoch(|counts| counts.invalid);
    assert_eq!(invalid[1], (last, epochs[&last].1));
}

#[test]
fn one_epoch_of_preview() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    let copy = chain.without_beginning();
    let first = chain.blocks.iter().filter(|block| block.chunk == 0);
    let rest = 38_944 - 2 * first.count() as u64;
    let right = nonces(&chain, [4]);
    let audit = chain.audit(&copy).epoch_nonces(right);
    let ran = run(audit, Outcome::NotAllChecked);
    assert_eq!(ran.totals().valid, 4306);
    assert_eq!(ran.totals().nonce_unknown, rest - 4306);
    let wrong = nonces(&chain, [5]).into_values().map(|nonce| (4, nonce));
    let ran = fails(chain.audit(&copy).epoch_nonces(wrong.collect()));
    assert_eq!((ran.totals().valid, ran.totals().invalid), (0, 4306));
}

#[test]
fn a_state_remembers_expected_blocks() {
    let chain = Chain::forged(&Recipe::of_eras(&[(Era::Conway, 4)]));
    let copy = chain.copy();
    let block = chain.find(|block| block.epoch == 1);
    let last = chain.blocks.last().unwrap();
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let expecting = |block: &Block, outcome: Outcome| {
        let audit = chain.audit(&copy).state(&state).unwrap();
        let audit = audit.require_anchor().expect_block(ExpectedBlock {
            slot: block.place.slot,
            hash: block.place.hash,
        });
        let report = run(audit, outcome).report;
        (report.tied, report.expected_blocks[0].1)
    };
    for _ in 0..2 {
        let tied = (Some(block.place.slot), Some(true));
        assert_eq!(expecting(block, Outcome::AllValid), tied);
    }
    // The block of the state is there, and one before it was not looked for.
    let (tied, _) = expecting(last, Outcome::AllValid);
    assert_eq!(tied, Some(last.place.slot));
    let earlier = chain.find(|block| block.epoch == 2);
    let (_, found) = expecting(earlier, Outcome::NotAllChecked);
    assert_eq!(found, None);
}
