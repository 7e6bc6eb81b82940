//! State files of audits: what was saved is read again, and a file that was changed is refused.

use std::fs;
use std::ops::ControlFlow;

use klero_audit::{Audit, ExpectedBlock, Outcome, State};
use klero_cardano::{Era, StateError, StateFile as _};
use klero_forge::{Recipe, forge};
use serde_json::Value;

/// The state after a chain with every kind of value, and its file.
fn saved() -> (State, String) {
    let dir = tempfile::tempdir().unwrap();
    let forged = forge(&Recipe::of_renewals(), dir.path(), |_, _| {}).unwrap();
    let tip = forged.tip.unwrap();
    let path = dir.path().join("state.json");
    let audit = Audit::new(dir.path()).unwrap().state(&path).unwrap();
    let audit = audit.expect_block(ExpectedBlock {
        slot: tip.slot,
        hash: tip.hash,
    });
    let report = audit.run(|_| ControlFlow::Continue(())).unwrap();
    let state = State::load(&path).unwrap();
    assert_eq!(state.totals, report.state.unwrap().totals);
    assert_eq!(state.totals.blocks, report.totals.blocks);
    assert_eq!((state.tied, state.found.len()), (Some(tip.slot), 1));
    assert!(state.certificate_numbers.len() > 2 && state.checks.len() == 4);
    (state, fs::read_to_string(path).unwrap())
}

#[test]
fn every_value_is_bound() {
    let (state, json) = saved();
    assert_eq!(state.to_json().unwrap(), json);
    let refused = |changed: &Value| State::from_json(&changed.to_string()).unwrap_err();
    let tree: Value = serde_json::from_str(&json).unwrap();
    let mut leaves = Vec::new();
    collect(&tree["state"], "/state", &mut leaves);
    assert!(leaves.len() >= 26, "{leaves:?}");
    for leaf in &leaves {
        let mut changed = tree.clone();
        let value = changed.pointer_mut(leaf).unwrap();
        *value = match &*value {
            Value::Number(number) => (number.as_u64().unwrap() + 1).into(),
            Value::String(text) if text == "Conway" => "Babbage".into(),
            Value::String(text) => {
                let (first, rest) = text.split_at(1);
                format!("{}{rest}", if first == "0" { "1" } else { "0" }).into()
            }
            other => panic!("{other}"),
        };
        let error = refused(&changed);
        assert!(
            matches!(error, StateError::Changed { .. }),
            "{leaf}: {error}"
        );
    }
    // Values that are left out, and one that is no part of a state.
    for name in ["checks", "certificate_numbers", "tied", "found"] {
        let mut changed = tree.clone();
        let fields = changed["state"].as_object_mut().unwrap();
        assert!(fields.remove(name).is_some(), "{name}");
        let error = refused(&changed);
        assert!(
            matches!(error, StateError::Changed { .. }),
            "{name}: {error}"
        );
    }
    let mut changed = tree.clone();
    changed["state"]["other"] = 1.into();
    let error = refused(&changed);
    assert!(matches!(error, StateError::Json(_)), "{error}");
}

/// A state whose hash is right, because it was written on purpose, and whose nonces are of another epoch
/// than its block.
#[test]
fn a_state_agrees_with_itself() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe::of_eras(&[(Era::Conway, 2)]);
    forge(&recipe, dir.path(), |_, _| {}).unwrap();
    let path = dir.path().join("state.json");
    let audit = || Audit::new(dir.path()).unwrap().state(&path).unwrap();
    let report = audit().run(|_| ControlFlow::Continue(())).unwrap();
    assert_eq!(report.outcome(), Outcome::AllValid);
    let mut torn = State::load(&path).unwrap();
    torn.walk.nonces.epoch -= 1;
    torn.save(&path).unwrap();
    let error = audit().run(|_| panic!("it began")).unwrap_err();
    assert!(error.to_string().contains("nonces of epoch 0"), "{error}");
}

/// The places of all values that are neither lists nor maps.
fn collect(value: &Value, place: &str, leaves: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, &format!("{place}/{name}"), leaves);
            }
        }
        Value::Array(values) => {
            for (n, value) in values.iter().enumerate() {
                collect(value, &format!("{place}/{n}"), leaves);
            }
        }
        _ => leaves.push(place.to_owned()),
    }
}
