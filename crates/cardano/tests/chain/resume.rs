//! Walks that go on from a point, and walks of single epochs.

use std::collections::BTreeMap;
use std::fs;

use klero_cardano::{Immutable, Network, Nonce, Resume, Start, Walk, WalkError};

use crate::copy::{Copy, Walked, chain};

fn start(point: &Resume) -> Start {
    Start::After(Box::new(point.clone()))
}

#[test]
fn two_walks_make_one() {
    let Some(copy) = Copy::of(0..120) else { return };
    let whole = copy.walk();
    let network = Network::preview();
    // The first block, within epochs, around the changes of epoch and era, the last block.
    for at in [0, 1, 5_000, 8_639, 8_640, 13_011, 13_012, 25_930, 25_931] {
        let point = Resume::after(&whole.blocks[at]).unwrap();
        let db = Immutable::open(copy.path()).unwrap();
        let walk = Walk::new(&db, network.clone(), start(&point)).unwrap();
        let rest: u64 = whole.blocks[at + 1..].iter().map(|block| block.size).sum();
        assert_eq!(walk.bytes(), rest);
        // Earlier chunks are not needed.
        for chunk in 0..whole.blocks[at].chunk.min(2) {
            copy.write(chunk, "chunk", b"gone");
        }
        let walked = copy.walk_from(start(&point));
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
fn a_point_that_is_not_there() {
    let Some(copy) = Copy::of(0..4) else { return };
    let whole = copy.walk();
    let point = Resume::after(&whole.blocks[700]).unwrap();
    let refusal = |point: &Resume| {
        let db = Immutable::open(copy.path()).unwrap();
        match Walk::new(&db, Network::preview(), start(point)) {
            Err(WalkError::Resume(reason)) => reason,
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("accepted"),
        }
    };
    let at = |slot: u64| {
        let mut other = point.clone();
        other.last.slot = slot;
        refusal(&other)
    };
    let slot = point.last.slot;
    // Every 20th slot has a block here.
    let reason = "chunk 00003 has no readable block there";
    assert_eq!(
        at(slot + 1),
        format!("cannot go on from slot {}: {reason}", slot + 1)
    );
    for slot in [4 * 4_320 - 1, 5 * 4_320] {
        let end = match slot {
            17_279 => "slot 17260",
            _ => "an earlier chunk",
        };
        assert_eq!(
            at(slot),
            format!("cannot go on from slot {slot}: the database ends at {end}")
        );
    }
    let mut other = point.clone();
    other.last.hash = whole.blocks[699].place.hash;
    let (found, expected) = (point.last.hash, other.last.hash);
    assert_eq!(
        refusal(&other),
        format!(
            "cannot go on from slot {slot}: the database has block {found} there, expected {expected}"
        )
    );
    let reason = "the database ends at an earlier chunk";
    for chunk in [3, 2] {
        copy.remove(chunk, "chunk");
        assert_eq!(at(slot), format!("cannot go on from slot {slot}: {reason}"));
    }
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
    assert!(Resume::after(&walked.blocks[0]).is_none());
}
