//! Saved states: a walk goes on from them, and none that was changed is taken.

use klero_cardano::{Era, Immutable, SavedState, Start, StateError, StateFile, Walk, WalkError};
use serde_json::Value;

use crate::walk::{rich, walk};

#[test]
fn a_walk_goes_on_from_any_block() {
    let chain = rich();
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let end = whole.blocks.len();
    for cut in (0..end).step_by(7).chain([end - 1]) {
        let state = SavedState::after(network, &whole.blocks[cut]).unwrap();
        let state = SavedState::from_json(&state.to_json().unwrap()).unwrap();
        let rest = walk(&chain.dir, network, Start::State(Box::new(state)));
        assert_eq!(
            (rest.faults, rest.warnings),
            (vec![], 0),
            "after block {cut}"
        );
        assert_eq!(rest.blocks.len(), end - cut - 1, "after block {cut}");
        for (expected, block) in whole.blocks[cut + 1..].iter().zip(&rest.blocks) {
            assert_eq!(
                (&expected.place, &expected.claims),
                (&block.place, &block.claims)
            );
            assert_eq!(expected.nonces, block.nonces);
            assert!(block.linked, "after block {cut}");
        }
    }
}

/// Every change of a saved state that is not one of white space is found: of any byte, and of any
/// value to another that could stand there.
#[test]
fn a_changed_state_is_refused() {
    let chain = rich();
    let whole = walk(&chain.dir, &chain.forged.network, Start::Genesis);
    let last = whole.blocks.last().unwrap();
    let state = SavedState::after(&chain.forged.network, last).unwrap();
    let json = state.to_json().unwrap();
    assert_eq!(SavedState::from_json(&json).unwrap(), state);

    for at in 0..json.len() {
        assert!(
            SavedState::from_json(&json[..at]).is_err() || at == json.len() - 1,
            "the first {at} bytes"
        );
        for bit in 0..7 {
            let mut changed = json.clone().into_bytes();
            changed[at] ^= 1 << bit;
            let read = SavedState::from_json(std::str::from_utf8(&changed).unwrap());
            // One white space is as good as another, and so is a hexadecimal digit in capitals.
            assert!(
                read.is_err() || read.unwrap() == state,
                "byte {at}, bit {bit}"
            );
        }
    }

    let tree: Value = serde_json::from_str(&json).unwrap();
    let mut leaves = Vec::new();
    collect(&tree["state"], "/state", &mut leaves);
    assert!(leaves.len() >= 12, "{leaves:?}");
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
        let error = SavedState::from_json(&changed.to_string()).unwrap_err();
        let words = "was changed since it was written: its hash is ";
        assert!(error.to_string().contains(words), "{leaf}: {error}");
    }
    // A value that is no part of a state is in no hash.
    let mut changed = tree.clone();
    changed["state"]["tied"] = 700_000.into();
    let error = SavedState::from_json(&changed.to_string()).unwrap_err();
    assert!(matches!(error, StateError::Json(_)), "{error}");
}

/// The places of all values that are neither lists nor maps.
fn collect(value: &Value, place: &str, leaves: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, &format!("{place}/{name}"), leaves);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                collect(item, &format!("{place}/{n}"), leaves);
            }
        }
        _ => leaves.push(place.to_owned()),
    }
}

/// A state whose hash is right, because it was written on purpose, and whose number or era is not
/// that of its block.
#[test]
fn the_block_of_a_state_has_its_number_and_era() {
    let chain = rich();
    let network = &chain.forged.network;
    let whole = walk(&chain.dir, network, Start::Genesis);
    let block = &whole.blocks[whole.blocks.len() / 2];
    let state = SavedState::after(network, block).unwrap();
    let refusal = |change: fn(&mut SavedState)| {
        let mut other = state.clone();
        change(&mut other);
        let db = Immutable::open(chain.dir.path()).unwrap();
        let start = Start::State(Box::new(other));
        match Walk::new(&db, network.clone(), start) {
            Err(WalkError::State(error @ StateError::OtherPlace { .. })) => error.to_string(),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("accepted"),
        }
    };
    let (number, era) = (block.place.number, block.place.era);
    let error = refusal(|state| state.last.number += 5);
    let expected = format!(
        "after block {} of {era}, the database has block {number} of {era} there",
        number + 5
    );
    assert!(error.ends_with(&expected), "{error}");
    let error = refusal(|state| state.last.era = Era::Mary);
    assert!(
        error.contains(" of Mary, the database has block "),
        "{error}"
    );
}
