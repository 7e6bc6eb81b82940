//! A state beside the headers of a chain.

use std::collections::BTreeMap;

use klero_cardano::{
    BlocksMade, ChainState, Counters, Era, Fact, Fault, Hash, LedgerState, Nonce, NonceState,
    SavedState,
};

use crate::read;
use crate::synthetic::synthetic;

/// What a walk along the chain of a state would have.
struct Chain {
    saved: SavedState,
    counters: Counters,
    blocks: BlocksMade,
}

impl Chain {
    fn of(state: &LedgerState) -> Self {
        let mut counters = Counters::since_first_block();
        for (issuer, number) in &state.counters {
            counters.set(*issuer, *number);
        }
        let mut blocks = BlocksMade::since_first_block();
        let epoch = state.nonces.epoch;
        for (epoch, made) in [(epoch - 1, &state.blocks_before), (epoch, &state.blocks)] {
            count(&mut blocks, epoch, made);
        }
        let saved = SavedState {
            network: "synthetic".into(),
            genesis_hash: Hash::new([0; 32]),
            last: state.last.clone(),
            nonces: state.nonces.clone(),
            doubt: Default::default(),
        };
        Self {
            saved,
            counters,
            blocks,
        }
    }

    fn compare(&self, state: &LedgerState) -> Vec<Fault> {
        state.compare(&ChainState {
            counters: Some(&self.counters),
            blocks: Some(&self.blocks),
            ..ChainState::from(&self.saved)
        })
    }
}

fn count(blocks: &mut BlocksMade, epoch: u64, made: &BTreeMap<Hash<28>, u64>) {
    for (pool, n) in made {
        for _ in 0..*n {
            blocks.count(epoch, *pool);
        }
    }
}

fn state() -> LedgerState {
    read(&synthetic(4, 50).write())
}

#[track_caller]
fn one(found: &[Fault], what: Fact, ledger: impl ToString, chain: impl ToString) {
    let expected = Fault::LedgerState {
        what,
        ledger: ledger.to_string(),
        chain: chain.to_string(),
    };
    assert_eq!(found, [expected]);
}

#[test]
fn equal_states() {
    let state = state();
    assert_eq!(Chain::of(&state).compare(&state), []);
    // Nothing but the last block is known.
    let chain = ChainState {
        last: state.last.clone(),
        nonces: None,
        counters: None,
        blocks: None,
    };
    assert_eq!(state.compare(&chain), []);
}

#[test]
fn another_last_block() {
    let state = state();
    let mut chain = Chain::of(&state);
    // These are not compared, as they belong to another block.
    chain.saved.nonces.epoch += 1;
    chain.counters.set(Hash::new([7; 28]), 3);
    chain.saved.last.slot += 1;
    let found = chain.compare(&state);
    one(&found, Fact::Slot, 70_000_000, 70_000_001);
    assert_eq!(
        found[0].to_string(),
        "slot of the last block: the ledger state has 70000000, the chain 70000001"
    );
    chain.saved.last = state.last.clone();
    chain.saved.last.era = Era::Babbage;
    one(&chain.compare(&state), Fact::Era, "Conway", "Babbage");
    chain.saved.last = state.last.clone();
    (chain.saved.last.number, chain.saved.last.hash) = (5, Hash::new([1; 32]));
    let found = chain.compare(&state);
    let facts = [&found[0], &found[1]].map(|of| match of {
        Fault::LedgerState { what, .. } => *what,
        other => panic!("{other}"),
    });
    assert_eq!((facts, found.len()), ([Fact::Number, Fact::Hash], 2));
}

#[test]
fn each_nonce() {
    let state = state();
    let other = Nonce::Value(Hash::new([9; 32]));
    type Field = fn(&mut NonceState) -> &mut Nonce;
    let fields: [(Fact, Field); 5] = [
        (Fact::EpochNonce, |nonces| &mut nonces.eta0),
        (Fact::EvolvingNonce, |nonces| &mut nonces.eta_v),
        (Fact::CandidateNonce, |nonces| &mut nonces.eta_c),
        (Fact::LastEpochBlockNonce, |nonces| &mut nonces.eta_h),
        (Fact::LabNonce, |nonces| &mut nonces.lab),
    ];
    for (fact, field) in fields {
        let mut chain = Chain::of(&state);
        let ours = std::mem::replace(field(&mut chain.saved.nonces), other);
        one(&chain.compare(&state), fact, ours, other);
    }
    let mut chain = Chain::of(&state);
    chain.saved.nonces.epoch = 163;
    one(&chain.compare(&state), Fact::Epoch, 164, 163);
}

#[test]
fn counters() {
    let mut state = state();
    let (issuer, number) = state.counters.pop_first().unwrap();
    let new = Hash::new([7; 28]);
    let mut chain = Chain::of(&state);
    chain.counters.set(issuer, number);
    one(
        &chain.compare(&state),
        Fact::Counter(issuer),
        "none",
        number,
    );
    state.counters.insert(issuer, number + 1);
    one(
        &chain.compare(&state),
        Fact::Counter(issuer),
        number + 1,
        number,
    );
    state.counters.insert(issuer, number);
    // A delegate of the genesis file is listed before its first block.
    state.counters.insert(new, 0);
    assert_eq!(chain.compare(&state), []);
    state.counters.insert(new, 1);
    one(&chain.compare(&state), Fact::Counter(new), 1, "none");
    // Unless the counters of the chain can lack an issuer.
    let mut some = Counters::since_any_block();
    for (issuer, number) in chain.counters.iter() {
        some.set(issuer, number);
    }
    chain.counters = some;
    assert_eq!(chain.compare(&state), []);
}

#[test]
fn blocks() {
    let state = state();
    let pool = Hash::new([7; 28]);
    let mut chain = Chain::of(&state);
    chain.blocks.count(164, pool);
    let fact = Fact::Blocks { epoch: 164, pool };
    one(&chain.compare(&state), fact, 0, 1);

    let mut altered = state.clone();
    let (pool, made) = state.blocks_before.first_key_value().unwrap();
    altered.blocks_before.remove(pool);
    let (epoch, pool) = (163, *pool);
    let chain = Chain::of(&state);
    one(
        &chain.compare(&altered),
        Fact::Blocks { epoch, pool },
        0,
        made,
    );

    // Counted since some block of epoch 163, which is not compared.
    let mut chain = Chain::of(&state);
    chain.blocks = BlocksMade::since_any_block();
    chain.blocks.count(163, pool);
    count(&mut chain.blocks, 164, &state.blocks);
    assert_eq!(chain.compare(&state), []);
}
