//! Ledger states compared with chains. The state of a forged chain agrees with the chain, and each changed
//! value is one finding.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Deref;

use klero_audit::{Anchor, Audit, Met, Outcome};
use klero_cardano::{Era, Fault, Hash, LedgerState, Nonce};
use klero_damage::{Flip, Repair};
use klero_forge::Recipe;
use klero_forge::ledger::State;
use klero_leader::Distribution;
use tempfile::TempDir;

use crate::db::Made;
use crate::run::{Ran, fails, refused, run};

struct Chain(Made);

impl Deref for Chain {
    type Target = Made;

    fn deref(&self) -> &Made {
        &self.0
    }
}

impl Chain {
    /// A chain whose certificates are renewed. If it begins before Babbage, delegates make blocks in epoch 0.
    fn new(eras: &[(Era, u64)]) -> Self {
        Self(Made::of(&Recipe {
            eras: eras.to_vec(),
            ..Recipe::of_renewals()
        }))
    }

    fn conway() -> Self {
        Self::new(&[(Era::Alonzo, 1), (Era::Babbage, 1), (Era::Conway, 2)])
    }

    /// The last epoch.
    fn epoch(&self) -> u64 {
        self.forged.nonces.epoch
    }

    fn state(&self, change: impl FnOnce(&mut State)) -> LedgerState {
        let mut state = self.forged.ledger.clone().unwrap();
        change(&mut state);
        LedgerState::read(&state.write()[..]).unwrap()
    }

    fn audit(&self, change: impl FnOnce(&mut State)) -> Audit<'static> {
        self.0.audit().ledger(self.state(change))
    }
}

/// The result of comparing the state's last block with the chain, and true if nonces were compared.
fn compared(ran: &Ran) -> (Met, bool) {
    let ledger = ran.report.ledger.as_ref().unwrap();
    (ledger.met, ledger.nonces_compared)
}

/// The value that each finding is about. All findings must be differences from the ledger state.
fn facts(ran: &Ran) -> Vec<&'static str> {
    let facts = ran.found.iter().map(|of| match of.fault {
        Fault::LedgerState { what, .. } => what,
        ref other => panic!("{other}"),
    });
    facts.collect()
}

#[test]
fn the_state_of_a_forged_chain_agrees() {
    for eras in [
        &[(Era::Conway, 1)][..],
        &[(Era::Babbage, 3)],
        &[(Era::Alonzo, 2), (Era::Babbage, 1)],
        &[(Era::Alonzo, 1), (Era::Babbage, 1), (Era::Conway, 2)],
        // Delegates made blocks in the first epoch.
        &[(Era::Alonzo, 1), (Era::Babbage, 1)],
    ] {
        let chain = Chain::new(eras);
        let ran = run(chain.audit(|_| {}), Outcome::AllValid);
        assert_eq!(compared(&ran), (Met::Yes, true), "{eras:?}");
        assert!(facts(&ran).is_empty());
        // The state has the stake of the last epoch, whose leaders all have verdicts, and of the next.
        let last = &ran.report.epochs[&chain.epoch()].counts;
        assert_eq!(last.leaders.valid, last.blocks);
        assert!(
            ran.report
                .stakes
                .keys()
                .eq(&[chain.epoch(), chain.epoch() + 1])
        );
    }
}

#[test]
fn one_changed_thing_is_one_finding() {
    let chain = Chain::conway();
    let found = |change: &dyn Fn(&mut State)| facts(&fails(chain.audit(change)));
    let other = Nonce::Value(Hash::new([9; 32]));
    assert_eq!(found(&|of| of.nonces.eta0 = other), ["epoch nonce"]);
    assert_eq!(found(&|of| of.nonces.eta_v = other), ["evolving nonce"]);
    assert_eq!(found(&|of| of.nonces.eta_c = other), ["candidate nonce"]);
    assert_eq!(
        found(&|of| of.nonces.eta_h = other),
        ["nonce of the last block of the epoch before"]
    );
    assert_eq!(
        found(&|of| of.nonces.lab = other),
        ["nonce of the hash before the last block"]
    );
}

#[test]
fn of_another_block_nothing_else_is_compared() {
    let chain = Chain::conway();
    let ran = fails(chain.audit(|of| {
        of.last.hash = Hash::new([7; 32]);
        of.nonces.lab = Nonce::Value(Hash::new([9; 32]));
    }));
    assert_eq!(facts(&ran), ["last block"]);
    assert_eq!(compared(&ran), (Met::No, false));
    let tip = chain.forged.tip.as_ref().unwrap();
    let text = ran.found[0].to_string();
    let words = format!(
        "last block: the ledger state has {}, the chain {}",
        "07".repeat(32),
        tip.hash
    );
    assert!(
        text.starts_with("ledger-state: epoch ") && text.ends_with(&words),
        "{text}"
    );
}

#[test]
fn its_stake_decides() {
    let chain = Chain::conway();
    // The pool distribution of the state decides in this epoch. Its snapshots decide in other epochs.
    let ran = fails(chain.audit(|of| {
        let mut others = Distribution::builder();
        others.total(of.stake.total());
        for (id, pool) in of.stake.pools().skip(1) {
            others.pool(*id, pool.stake.pool(), pool.vrf).unwrap();
        }
        of.stake = others.build().unwrap();
    }));
    let kinds: BTreeSet<_> = ran.found.iter().map(|of| of.fault.name()).collect();
    assert_eq!(kinds, ["unknown-pool"].into());
    let of_epoch = &ran.report.epochs[&chain.epoch()].counts.leaders;
    assert_eq!(of_epoch.invalid, ran.totals().leaders.invalid);
    assert!(of_epoch.invalid > 0 && of_epoch.valid > 0);
    run(
        chain.audit(|of| of.snapshots[0] = Default::default()),
        Outcome::AllValid,
    );

    // The stake of one epoch comes from two sources.
    let stake = chain.forged.stake_by_epoch();
    let error = refused(chain.audit(|_| {}).stake(stake.clone())).to_string();
    let words = format!(
        "the stake of epoch {} is given, and is in the ledger state as well: expected one of the two",
        chain.epoch()
    );
    assert_eq!(error, words);
    let mut others = stake;
    others.remove(&chain.epoch());
    let ran = run(chain.audit(|_| {}).stake(others), Outcome::AllValid);
    let totals = ran.totals();
    assert_eq!(totals.leaders.valid, totals.blocks);
}

#[test]
fn where_its_block_is_not() {
    let chain = Chain::conway();
    // The chain ends before the state's block.
    let ran = run(chain.audit(|of| of.last.slot += 1), Outcome::NotAllChecked);
    assert_eq!(
        (facts(&ran), compared(&ran)),
        (vec![], (Met::NotReached, false))
    );
    // The chain has no block at the slot of the state's block.
    let honest = chain.honest();
    let slots: BTreeSet<u64> = honest.blocks.iter().map(|block| block.place.slot).collect();
    let tip = chain.forged.tip.as_ref().unwrap().slot;
    let empty = (0..tip).rev().find(|slot| !slots.contains(slot)).unwrap();
    let state = chain.dir.path().join("state.json");
    let early = honest.blocks[9].place.slot..tip;
    let early = early
        .into_iter()
        .find(|slot| !slots.contains(slot))
        .unwrap();
    for slot in [early, early, empty] {
        let audit = chain.audit(|of| of.last.slot = slot).state(&state).unwrap();
        let ran = fails(audit);
        assert_eq!(
            (facts(&ran), compared(&ran)),
            (vec!["last block"], (Met::No, false))
        );
        assert_eq!(ran.found[0].at.slot, Some(slot));
        assert!(ran.found[0].to_string().ends_with(", the chain none"));
    }
    // Here, the saved state ends after the last block of the ledger state, or with that block.
    fs::remove_file(&state).unwrap();
    let ran = run(
        chain.audit(|_| {}).state(&state).unwrap(),
        Outcome::AllValid,
    );
    let last = ran.report.state.unwrap().after.unwrap();
    let audit = chain.audit(|of| of.last.slot = last.slot - 1);
    let ran = run(audit.state(&state).unwrap(), Outcome::NotAllChecked);
    assert_eq!(compared(&ran), (Met::NotReached, false));
    let audit = chain.audit(|of| of.last.slot = last.slot);
    assert_eq!(facts(&fails(audit.state(&state).unwrap())), ["last block"]);
    let nonces = klero_audit::State::load(&state).unwrap().unwrap().nonces;
    let audit = chain.audit(|of| (of.last, of.nonces) = (last, nonces));
    let ran = run(audit.state(&state).unwrap(), Outcome::AllValid);
    assert_eq!(compared(&ran), (Met::Yes, true));
}

/// Nonces that are in doubt or not computed are not compared, so they are not a finding.
#[test]
fn nonces_in_doubt_are_not_compared() {
    let chain = Chain::conway();
    let epoch = chain.epoch();
    let honest = chain.honest();
    let place = TempDir::new().unwrap();
    let audit = |dir: &str| {
        let audit = Audit::new(&place.path().join(dir)).unwrap();
        audit.network(honest.network.clone())
    };

    // An audit that continues from a saved state computes the nonces as well.
    let block = honest.find(|block| block.epoch == epoch - 1).unwrap();
    let copy = |chunks, name: &str| honest.copy(&place.path().join(name), chunks).unwrap();
    copy(0..block.chunk + 1, "begun");
    let state = place.path().join("state.json");
    run(audit("begun").state(&state).unwrap(), Outcome::AllValid);
    let resumed = chain.audit(|_| {}).state(&state).unwrap();
    let ran = run(resumed, Outcome::AllValid);
    assert_eq!(compared(&ran), (Met::Yes, true));
    let resumed = chain.audit(|of| of.nonces.eta_v = Nonce::Neutral);
    fs::remove_file(&state).unwrap();
    run(audit("begun").state(&state).unwrap(), Outcome::AllValid);
    let ran = fails(resumed.state(&state).unwrap());
    assert_eq!(facts(&ran), ["evolving nonce"]);

    // The chain lacks its beginning, but nonces are known.
    copy(block.chunk..honest.chunks(), "part");
    let epochs = chain.forged.epochs.iter();
    let nonces = epochs.filter_map(|of| {
        let (epoch, nonce) = (of.epoch, of.nonce?);
        Some(Anchor::Nonce { epoch, nonce })
    });
    let part = audit("part").expect(nonces.skip(epoch as usize - 1));
    let ran = run(part.ledger(chain.state(|_| {})), Outcome::AllValid);
    assert_eq!(compared(&ran), (Met::Yes, false));

    // A block of the epoch is altered.
    let block = honest.find(|block| block.epoch == epoch).unwrap();
    let damaged = copy(0..honest.chunks(), "slot");
    damaged.flip(block, Flip::Slot, Repair::Crc).unwrap();
    let ran = fails(audit("slot").ledger(chain.state(|_| {})));
    assert_eq!(compared(&ran), (Met::Yes, false));
    assert!(!ran.report.found.contains_key("ledger-state"));
}
