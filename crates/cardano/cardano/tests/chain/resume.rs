//! Tests of walks that continue from a point, and of walks along single epochs.

use klero_cardano::{Immutable, Network, Resume, Start, Walk, WalkError};

use crate::copy::{Copy, Walked, chain};
use crate::expected_epochs;

fn start(point: &Resume) -> Start {
    Start::After(Box::new(point.clone()))
}

#[test]
fn two_walks_make_one() {
    let Some(copy) = Copy::of(0..120) else { return };
    let whole = copy.walk();
    let network = Network::preview();
    // The first block, blocks within epochs, blocks around changes of epoch and era, and the last block.
    for at in [0, 1, 5_000, 8_639, 8_640, 13_011, 13_012, 25_930, 25_931] {
        let point = Resume::after(&whole.blocks[at]).unwrap();
        let db = Immutable::open(copy.path()).unwrap();
        let walk = Walk::new(&db, network.clone(), start(&point)).unwrap();
        let rest: u64 = whole.blocks[at + 1..].iter().map(|block| block.size).sum();
        assert_eq!(walk.bytes(), rest);
        // Overwrites two earlier chunks, which are not needed.
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
        (slot, refusal(&other))
    };
    let reason = |slot: u64, why: &str| (slot, format!("cannot go on from slot {slot}: {why}"));
    let slot = point.last.slot;
    // In these chunks, only every 20th slot has a block. So the slot after a block has none.
    for (slot, why) in [
        (slot + 1, "chunk 00003 has no readable block there"),
        (4 * 4_320 - 1, "the database ends at slot 17260"),
        (5 * 4_320, "the database ends at an earlier chunk"),
    ] {
        assert_eq!(at(slot), reason(slot, why));
    }
    let mut other = point.clone();
    other.last.hash = whole.blocks[699].place.hash;
    let (found, expected) = (point.last.hash, other.last.hash);
    let why = format!("the database has block {found} there, expected {expected}");
    assert_eq!((slot, refusal(&other)), reason(slot, &why));
    for chunk in [3, 2] {
        copy.remove(chunk, "chunk");
        let why = "the database ends at an earlier chunk";
        assert_eq!(at(slot), reason(slot, why));
    }
}

#[test]
fn single_epochs() {
    let Some(dir) = chain() else { return };
    // With `Start::Anywhere`, the database may begin in the middle of the chain.
    let copy = Copy::of(45..120).unwrap();
    let whole = Copy::of(0..120).unwrap().walk();
    // The nonces of preview are built in, but a network from a genesis file has no built-in nonces.
    let genesis = dir.join("shelley-genesis.json");
    let starts = Network::preview().era_starts().clone();
    let mut network = Network::read_shelley_genesis("custom", &genesis, starts).unwrap();
    for (epoch, of) in expected_epochs(&dir) {
        if epoch % 2 == 1 {
            continue;
        }
        let nonce = of.nonce.parse().unwrap();
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
