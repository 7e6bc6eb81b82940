//! A state beside the headers of a chain.

use klero_cardano::{Era, Fact, Fault, Hash, LedgerState, Nonce, NonceState};

use crate::read;
use crate::synthetic::synthetic;

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
    assert_eq!(state.compare(&state.last, Some(&state.nonces)), []);
    assert_eq!(state.compare(&state.last, None), []);
}

#[test]
fn another_last_block() {
    let state = state();
    // These are not compared, as they belong to another block.
    let mut nonces = state.nonces.clone();
    nonces.epoch += 1;
    let mut last = state.last.clone();
    last.slot += 1;
    let found = state.compare(&last, Some(&nonces));
    one(&found, Fact::Slot, 70_000_000, 70_000_001);
    assert_eq!(
        found[0].to_string(),
        "slot of the last block: the ledger state has 70000000, the chain 70000001"
    );
    let mut last = state.last.clone();
    last.era = Era::Babbage;
    one(&state.compare(&last, None), Fact::Era, "Conway", "Babbage");
    let mut last = state.last.clone();
    (last.number, last.hash) = (5, Hash::new([1; 32]));
    let found = state.compare(&last, None);
    one(&found[..1], Fact::Number, state.last.number, 5);
    one(&found[1..], Fact::Hash, state.last.hash, last.hash);
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
        let mut nonces = state.nonces.clone();
        let ours = std::mem::replace(field(&mut nonces), other);
        one(
            &state.compare(&state.last, Some(&nonces)),
            fact,
            ours,
            other,
        );
    }
    let mut nonces = state.nonces.clone();
    nonces.epoch = 163;
    let found = state.compare(&state.last, Some(&nonces));
    one(&found, Fact::Epoch, 164, 163);
}
