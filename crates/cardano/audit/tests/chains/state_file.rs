//! Tests that a saved state can be read again, and that an altered or unsuitable state is refused.

use std::fs;
use std::path::Path;

use klero_audit::{Anchor, Outcome, State};
use klero_cardano::{Block, EraStarts, Hash, Network};
use klero_forge::Recipe;
use serde_json::Value;

use crate::db::Made;
use crate::run::{refused, run};

/// A chain, and the state after its second-to-last epoch, which contains values of every kind.
struct Sample {
    chain: Made,
    state: State,
    json: String,
}

impl Sample {
    fn new() -> Self {
        let chain = Made::of(&Recipe::of_renewals());
        let Block { place, .. } = &chain.honest().blocks[5];
        let path = chain.dir.path().join("state.json");
        let audit = chain.audit().state(&path).unwrap();
        let (slot, hash) = (place.slot, place.hash);
        let audit = audit.expect([Anchor::Block { slot, hash }]);
        let report = run(audit, Outcome::AllValid).report;
        let state = State::load(&path).unwrap().unwrap();
        assert_eq!(state.totals, report.state.unwrap().totals);
        assert_eq!((state.tied, state.met.len()), (Some(place.slot), 1));
        assert!(state.certificate_numbers.len() > 2 && state.checks.len() == 4);
        let json = fs::read_to_string(&path).unwrap();
        Self { chain, state, json }
    }

    /// The error of an audit that continues from this altered state, saved with the hash that matches it.
    fn refusal(&self, state: &State, network: &Network) -> String {
        let path = self.chain.dir.path().join("other.json");
        state.save(&path).unwrap();
        let audit = self.chain.audit().network(network.clone());
        let error = refused(audit.state(&path).unwrap()).to_string();
        let name = format!("state {}: ", path.display());
        error.strip_prefix(&name).expect(&error).to_owned()
    }
}

/// A changed bit, a missing value or an added value cannot alter a state unnoticed.
#[test]
fn every_value_is_bound() {
    let Sample { state, json, .. } = Sample::new();
    assert_eq!(State::from_json(&json).unwrap(), state);
    assert_eq!(state.to_json(), json);
    for at in 0..json.len() {
        let cut = State::from_json(&json[..at]);
        assert!(cut.is_err() || at == json.len() - 1, "the first {at} bytes");
        for bit in 0..7 {
            let mut changed = json.clone().into_bytes();
            changed[at] ^= 1 << bit;
            // The text may still be valid if the bit changes one white space into another, or a hexadecimal
            // digit from a small letter into a capital. Then the state is the same.
            if let Ok(read) = State::from_json(std::str::from_utf8(&changed).unwrap()) {
                assert_eq!(read, state, "byte {at}, bit {bit}");
            }
        }
    }

    let refused = |changed: &Value| {
        let error = State::from_json(&changed.to_string()).unwrap_err();
        error.to_string()
    };
    let tree: Value = serde_json::from_str(&json).unwrap();
    // A list loses an item. The shorter list would be valid in another state.
    let mut fewer = tree.clone();
    fewer["state"]["checks"].as_array_mut().unwrap().pop();
    assert!(refused(&fewer).contains("was changed since"));
    // A value is left out, and then a value is added that is not part of a state.
    for name in ["checks", "certificate_numbers", "tied", "met"] {
        let mut changed = tree.clone();
        let fields = changed["state"].as_object_mut().unwrap();
        assert!(fields.remove(name).is_some(), "{name}");
        refused(&changed);
    }
    for place in ["/state", "/state/totals", "/state/nonces"] {
        let mut changed = tree.clone();
        changed.pointer_mut(place).unwrap()["other"] = 1.into();
        let error = refused(&changed);
        assert!(error.starts_with("not a saved state: "), "{place}: {error}");
    }
    assert!(refused(&serde_json::json!({"version": 4})).contains("version 4, this program reads"));
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let saved = Sample::new();
    let network = &saved.chain.forged.network;
    let refusal = |change: fn(&mut State)| {
        let mut other = saved.state.clone();
        change(&mut other);
        saved.refusal(&other, network)
    };
    let error = refusal(|state| state.nonces.epoch -= 1);
    assert!(
        error.starts_with("the saved state has nonces of epoch "),
        "{error}"
    );
    let error = refusal(|state| state.conway = None);
    let words = "the saved state was made with none for the first epoch of Conway, not ";
    assert!(error.starts_with(words), "{error}");
    let error = refusal(|state| state.checks.clear());
    assert!(
        error.starts_with("it covers only nothing, and this audit "),
        "{error}"
    );
    let error = refusal(|state| state.last.hash = Hash::new([7; 32]));
    assert!(error.starts_with("cannot go on from slot "), "{error}");

    let genesis = fs::read(saved.chain.dir.path().join("shelley-genesis.json")).unwrap();
    let mut other = genesis.clone();
    other.push(b'\n');
    let starts = network.era_starts().clone();
    let other = Network::from_shelley_genesis("other", &other, starts).unwrap();
    let error = saved.refusal(&saved.state, &other);
    assert!(
        error.starts_with("the saved state is of network "),
        "{error}"
    );
    let unknown = Network::from_shelley_genesis("custom", &genesis, EraStarts::default()).unwrap();
    let error = saved.refusal(&saved.state, &unknown);
    assert!(
        error.contains("for the first epoch of Conway, not none"),
        "{error}"
    );
}

#[test]
fn files_that_are_no_state() {
    let Sample { chain, state, .. } = Sample::new();
    let place = |name: &str| chain.dir.path().join(name);
    let refused = |path: &Path| State::load(path).unwrap_err().to_string();
    assert_eq!(State::load(&place("no/such/file")).unwrap(), None);
    assert!(state.save(&place("no/such/file")).is_err());
    fs::write(place("bytes"), [0xff, 0xfb]).unwrap();
    assert!(refused(&place("bytes")).contains("bytes: invalid utf-8 sequence"));
    fs::write(place("text"), "{}").unwrap();
    assert!(refused(&place("text")).contains("text: not a saved state: missing field `version`"));
    let long = fs::File::create(place("long")).unwrap();
    long.set_len((16 << 20) + 1).unwrap();
    assert!(refused(&place("long")).contains("16777217 bytes, expected at most 16777216"));
}
