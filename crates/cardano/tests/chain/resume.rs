//! Walks from a saved state, and of single epochs.

use std::collections::BTreeMap;
use std::fs;

use klero_cardano::{
    Immutable, Network, Nonce, SavedState, Start, StateError, StateFile, Walk, WalkError,
};

use crate::copy::{Copy, Walked, chain};

fn start(state: &SavedState) -> Start {
    Start::State(Box::new(state.clone()))
}

#[test]
fn two_walks_make_one() {
    let Some(copy) = Copy::of(0..120) else { return };
    let whole = copy.walk();
    let network = Network::preview();
    let file = copy.path().join("state.json");
    // The first block, within epochs, around the changes of epoch and era, the last block.
    for at in [0, 1, 5_000, 8_639, 8_640, 13_011, 13_012, 25_930, 25_931] {
        let state = SavedState::after(&network, &whole.blocks[at]).unwrap();
        state.save(&file).unwrap();
        let state = SavedState::load(&file).unwrap();
        let db = Immutable::open(copy.path()).unwrap();
        let walk = Walk::new(&db, network.clone(), start(&state)).unwrap();
        let rest: u64 = whole.blocks[at + 1..].iter().map(|block| block.size).sum();
        assert_eq!(walk.bytes(), rest);
        // Earlier chunks are not needed.
        for chunk in 0..whole.blocks[at].chunk.min(2) {
            copy.write(chunk, "chunk", b"gone");
        }
        let walked = copy.walk_from(start(&state));
        assert_eq!((walked.faults(), walked.warnings()), (vec![], vec![]));
        assert_eq!(walked.unlinked(), [0; 0]);
        assert_eq!(walked.blocks.len(), whole.blocks.len() - at - 1);
        for (found, expected) in walked.blocks.iter().zip(&whole.blocks[at + 1..]) {
            assert_eq!(found.place, expected.place);
            assert_eq!(found.claims, expected.claims);
            assert_eq!(found.nonces, expected.nonces);
        }
    }
}

#[test]
fn a_state_that_does_not_fit() {
    let Some(copy) = Copy::of(0..4) else { return };
    let network = Network::preview();
    let whole = copy.walk();
    let state = SavedState::after(&network, &whole.blocks[700]).unwrap();
    let refusal = |state: &SavedState, network: Network| {
        let db = Immutable::open(copy.path()).unwrap();
        match Walk::new(&db, network, start(state)) {
            Err(WalkError::State(error)) => error,
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("accepted"),
        }
    };
    let error = refusal(&state, Network::preprod());
    assert!(matches!(error, StateError::Network { .. }), "{error}");

    let mut other = state.clone();
    other.last.hash = whole.blocks[699].place.hash;
    let error = refusal(&other, network.clone());
    assert!(matches!(error, StateError::OtherBlock { .. }), "{error}");

    // Every 20th slot has a block here.
    let mut none = state.clone();
    none.last.slot += 1;
    let error = refusal(&none, network.clone());
    assert!(
        matches!(error, StateError::NoBlock { chunk: 3, .. }),
        "{error}"
    );

    let mut late = state.clone();
    late.last.slot = 5 * 4_320;
    let error = refusal(&late, network.clone());
    assert!(matches!(error, StateError::Short { .. }), "{error}");
    late.last.slot = 4 * 4_320 - 1;
    let error = refusal(&late, network.clone()).to_string();
    assert_eq!(
        error,
        "the saved state stands at slot 17279, the database ends at slot 17260"
    );

    let mut learned = state.clone();
    learned.conway = None;
    let error = refusal(&learned, network.clone()).to_string();
    let words = "made with none for the first epoch of Conway, not 646; begin a new state file";
    assert!(error.ends_with(words), "{error}");

    let mut torn = state.clone();
    torn.nonces.epoch = 1;
    let error = refusal(&torn, network.clone());
    assert!(matches!(error, StateError::Epoch { .. }), "{error}");

    for chunk in [3, 2] {
        copy.remove(chunk, "chunk");
        let error = refusal(&state, network.clone());
        assert!(
            matches!(error, StateError::Short { last: None, .. }),
            "{error}"
        );
    }
}

#[test]
fn files_that_are_no_state() {
    let Some(copy) = Copy::of(0..1) else { return };
    let state = SavedState::after(&Network::preview(), &copy.walk().blocks[5]).unwrap();
    let json = state.to_json().unwrap();
    assert_eq!(SavedState::from_json(&json).unwrap(), state);
    for (old, new) in [
        ("\"version\": 4", "\"version\": 3"),
        ("\"slot\": 100", "\"slot\": -1"),
        ("\"era\": \"Alonzo\"", "\"era\": \"Voltaire\""),
        ("\"network\"", "\"net\""),
        ("\"lab\": \"", "\"lab\": \"0"),
        ("}", ""),
    ] {
        let broken = json.replacen(old, new, 1);
        assert_ne!(broken, json);
        assert!(SavedState::from_json(&broken).is_err(), "{new}");
    }
    let nowhere = copy.path().join("no/such/file");
    let error = SavedState::load(&nowhere).unwrap_err().to_string();
    assert!(error.contains("no/such/file"), "{error}");
    assert!(state.save(&nowhere).is_err());
    let bytes = copy.path().join("bytes");
    fs::write(&bytes, [0xff, 0xfe]).unwrap();
    let error = SavedState::load(&bytes).unwrap_err().to_string();
    assert!(error.ends_with("bytes: not UTF-8 text"), "{error}");
}

#[test]
fn the_wrong_network() {
    let Some(copy) = Copy::of(0..1) else { return };
    fs::write(copy.path().join("protocolMagicId"), "2").unwrap();
    let db = Immutable::open(copy.path()).unwrap();
    assert_eq!(db.magic(), Some(2));
    let error = Walk::new(&db, Network::mainnet(), Start::Genesis)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "the database is of network magic 2, mainnet has 764824073"
    );
}

#[test]
fn single_epochs() {
    let Some(dir) = chain() else { return };
    // The database may begin anywhere.
    let Some(copy) = Copy::of(45..120) else {
        return;
    };
    let csv = fs::read_to_string(dir.join("epochs.csv")).unwrap();
    let nonces: BTreeMap<u64, Nonce> = csv
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',');
            (
                fields.next().unwrap().parse().unwrap(),
                fields.next().unwrap().parse().unwrap(),
            )
        })
        .filter(|(epoch, _)| epoch % 2 == 0)
        .collect();
    let whole = Copy::of(0..120).unwrap().walk();
    // The nonces of preview are built in, but not those of its genesis file.
    let genesis = dir.join("shelley-genesis.json");
    let starts = Network::preview().era_starts().clone();
    let mut network = Network::read_shelley_genesis("custom", &genesis, starts).unwrap();
    for (epoch, nonce) in nonces {
        assert_eq!(Network::preview().known_nonce(epoch), Some(nonce));
        network.set_known_nonce(epoch, nonce);
    }
    let db = Immutable::open(copy.path()).unwrap();
    let walked = |network: &Network| {
        let walk = Walk::new(&db, network.clone(), Start::Anywhere).unwrap();
        assert!(!walk.has_nonces());
        let walked = Walked::new(walk);
        assert_eq!((walked.faults(), walked.warnings()), (vec![], vec![]));
        assert_eq!(walked.unlinked(), [0; 0]);
        walked
    };
    for network in [&network, &Network::preview()] {
        let walked = walked(network);
        let offset = whole.blocks.len() - walked.blocks.len();
        for (found, expected) in walked.blocks.iter().zip(&whole.blocks[offset..]) {
            assert_eq!(found.place, expected.place);
            assert_eq!(found.nonces, None);
            assert_eq!(found.nonce, network.known_nonce(found.epoch));
            match found.nonce {
                Some(_) => assert_eq!(found.claims, expected.claims),
                None => assert_eq!(found.claims, []),
            }
        }
    }
    let walked = walked(&network);
    assert!(SavedState::after(&Network::preview(), &walked.blocks[0]).is_none());
}

#[test]
fn a_state_of_another_version_is_refused() {
    let error = SavedState::from_json(r#"{"version": 7}"#).unwrap_err();
    assert!(matches!(error, StateError::Version { found: 7 }), "{error}");
}
