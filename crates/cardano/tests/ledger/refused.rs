//! What is refused: unknown layouts and contradictions, with a message that names the place.

use klero_cardano::{Era, Hash, LedgerError, LedgerState, Nonce};
use klero_forge::ledger::Layout;

use crate::synthetic::synthetic;

const CONWAY: Layout = Layout::ALL[1];
const NEWER: Layout = Layout::ALL[3];

#[track_caller]
fn refused(bytes: &[u8], message: &str) {
    let error = LedgerState::read(bytes).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
}

/// Replaces bytes that occur once.
#[track_caller]
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let places: Vec<usize> = (0..=bytes.len() - old.len())
        .filter(|at| bytes[*at..].starts_with(old))
        .collect();
    assert_eq!(places.len(), 1, "{old:02x?}");
    let mut changed = bytes.to_vec();
    changed.splice(places[0]..places[0] + old.len(), new.iter().copied());
    changed
}

fn bytes_of(hash: &[u8]) -> Vec<u8> {
    [&[0x58, hash.len() as u8], hash].concat()
}

#[test]
fn other_eras_and_versions() {
    let state = synthetic(2, 5);
    for (era, message) in [
        (Era::Byron, "found 1 (up to Byron)"),
        (Era::Shelley, "found 2 (up to Shelley)"),
        (Era::Alonzo, "found 5 (up to Alonzo)"),
    ] {
        refused(&state.write(Layout { era, ..CONWAY }), message);
    }
    let bytes = state.write(CONWAY);
    for (place, value, message) in [
        (
            0,
            0x83,
            "byte 0 of the ledger state, version and content of the file: expected a list of 2 items, found a list of 3 items",
        ),
        (0, 0x9f, "found a list of indefinite length"),
        (
            1,
            0x02,
            "byte 1 of the ledger state, version of the file: expected the number 1, found the number 2",
        ),
        (
            2,
            0x81,
            "expected a list of 2 items, found a list of 1 item",
        ),
        (3, 0x88, "found 8 (up to Dijkstra)"),
        (3, 0x89, "found 9"),
        (3, 0xa7, "found a map of 7 items"),
        (4, 0x83, "bounds of an era of the ledger"),
        (
            5,
            0x85,
            "expected a list of 3 or 4 items, found a list of 5 items",
        ),
        (
            6,
            0xff,
            "time of a bound of an era of the ledger: expected an item, found a break",
        ),
        (6, 0x1c, "expected an item of CBOR, found byte 0x1c"),
    ] {
        let mut changed = bytes.clone();
        changed[place] = value;
        refused(&changed, message);
    }
    refused(
        &[&bytes[..], &[0]].concat(),
        "end of the Praos state: expected no more bytes, found more bytes",
    );
}

#[test]
fn other_numbers_of_fields() {
    let state = synthetic(2, 5);
    let bytes = state.write(CONWAY);
    // The last block, and the new epoch state.
    let last = [&bytes_of(&state.last.hash[..])[..], &[0x87, 0x18, 164]].concat();
    let mut other = last.clone();
    other[34] = 0x88;
    refused(
        &replaced(&bytes, &last, &other),
        "list of the new epoch state: expected a list of 7 items, found a list of 8 items",
    );
    // Treasury and reserves, in the epoch state.
    let reserves = [&[0x84, 0x82, 0x1b][..], &(1u64 << 50).to_be_bytes()].concat();
    let mut other = reserves.clone();
    other[0] = 0x86;
    refused(
        &replaced(&bytes, &reserves, &other),
        "list of the epoch state: expected a list of 4 items, found a list of 6 items",
    );
    // The last slot, in the Praos state.
    let slot = [
        &[0x82, 0, 0x87, 0x82, 1, 0x1a][..],
        &70_000_000u32.to_be_bytes(),
    ]
    .concat();
    let mut other = slot.clone();
    other[2] = 0x89;
    refused(
        &replaced(&bytes, &slot, &other),
        "list of the Praos state: expected a list of 7 or 8 items, found a list of 9 items",
    );
    other = slot.clone();
    other[1] = 1;
    refused(
        &replaced(&bytes, &slot, &other),
        "version of the Praos state: expected the number 0, found the number 1",
    );
}

#[test]
fn other_fields_of_pools() {
    let state = synthetic(2, 5);
    let pool = &state.snapshots[2].pools.iter().next().unwrap();
    let at = [&bytes_of(&pool.0[..])[..], &[0x89]].concat();
    let other = [&bytes_of(&pool.0[..])[..], &[0x8a]].concat();
    refused(
        &replaced(&state.write(CONWAY), &at, &other),
        "parameters of a pool of the go snapshot: expected a list of 9 items, found a list of 10 items",
    );
    let at = [&bytes_of(&pool.0[..])[..], &[0x8a]].concat();
    let other = [&bytes_of(&pool.0[..])[..], &[0x8b]].concat();
    refused(
        &replaced(&state.write(NEWER), &at, &other),
        "fields of a pool of the go snapshot: expected a list of 10 items, found a list of 11 items",
    );
    let vrf = bytes_of(&pool.1[..]);
    for layout in [CONWAY, NEWER] {
        refused(
            &replaced(&state.write(layout), &vrf, &vrf[..1]),
            "VRF key hash of a pool of the go snapshot: expected a string of 32 bytes, found a string of",
        );
        refused(
            &replaced(&state.write(layout), &vrf, &[0xf6]),
            "expected a string of 32 bytes, found simple value 22",
        );
    }
}

/// A share has a tag in Conway, and none before.
#[test]
fn shares_of_other_eras() {
    let state = synthetic(2, 5);
    let first = &state.stake.pools[0];
    for (layout, message) in [
        (
            Layout::ALL[0],
            "share of a pool of the pool distribution: expected a list of 2 items, found tag 30",
        ),
        (
            CONWAY,
            "share of a pool of the pool distribution: expected tag 30, found a list of 2 items",
        ),
    ] {
        let bytes = state.write(layout);
        let key = [&bytes_of(&first.pool[..])[..], &[0x83]].concat();
        let with_tag = [&key[..], &[0xd8, 30]].concat();
        let changed = match layout.era {
            Era::Conway => replaced(&bytes, &with_tag, &key),
            _ => replaced(&bytes, &key, &with_tag),
        };
        refused(&changed, message);
    }
}

#[test]
fn contradictions() {
    let state = synthetic(3, 20);
    let hash = bytes_of(&state.last.hash[..]);
    for layout in [CONWAY, NEWER] {
        let bytes = state.write(layout);
        // Era, slot, hash and number of the last block in the header state.
        let slot = [&[0x1a][..], &70_000_000u32.to_be_bytes()].concat();
        let number = [&[0x1a][..], &3_000_000u32.to_be_bytes()].concat();
        let tip = [&[0x82, 6, 0x83], &slot[..], &hash, &number].concat();
        for (place, message) in [
            (
                1,
                "era of the last block, counted from 0, of the header state: expected the number 6, found the number 7",
            ),
            (
                7,
                "slot of the last block of the header state: expected the number 70000000, found the number 70000001",
            ),
            (12, "hash of the last block of the header state: expected"),
            (
                46,
                "number of the last block of the header state: expected the number 3000000, found the number 3000001",
            ),
        ] {
            let mut other = tip.clone();
            other[place] ^= 1;
            refused(&replaced(&bytes, &tip, &other), message);
        }
        let last_slot = [&[0x82, 1][..], &slot].concat();
        let mut other = last_slot.clone();
        other[6] ^= 1;
        refused(
            &replaced(&bytes, &last_slot, &other),
            "last slot of the Praos state: expected the number 70000000, found the number 70000001",
        );
    }
}

#[test]
fn stake_that_does_not_add_up() {
    for layout in [CONWAY, NEWER] {
        let mut state = synthetic(3, 20);
        state.snapshots[0].delegators[3].stake = u64::MAX;
        state.snapshots[0].delegators[4].stake = 1;
        refused(
            &state.write(layout),
            "stake of the mark snapshot: expected a sum below 2^64",
        );
        // A total that is too large by one, with shares of the right one.
        let state = synthetic(3, 20);
        let total = |n: u64| [&[0x1b][..], &n.to_be_bytes(), &[0xf6]].concat();
        let right = state.stake.total;
        refused(
            &replaced(&state.write(layout), &total(right), &total(right + 1)),
            &format!("of {}, as the stakes say, found", right + 1),
        );
    }
}

#[test]
fn keys_that_occur_twice() {
    let state = synthetic(3, 20);
    let [first, second] = [0, 1].map(|n| state.counters.keys().nth(n).unwrap());
    let bytes = state.write(CONWAY);
    // Each is in both counts of blocks and among the counters.
    let twice = bytes
        .windows(28)
        .rposition(|window| window == &second[..])
        .unwrap();
    let mut changed = bytes.clone();
    changed[twice..twice + 28].copy_from_slice(&first[..]);
    refused(
        &changed,
        &format!(
            "certificate counters of the Praos state: expected each key once, found {first} twice"
        ),
    );

    let mut state = synthetic(3, 20);
    let again = state.snapshots[2].delegators[4].hash;
    for of in [4, 9] {
        state.snapshots[2].delegators[of].hash = again;
        state.snapshots[2].delegators[of].script = true;
    }
    refused(
        &state.write(CONWAY),
        &format!("stake of the go snapshot: expected each delegator once, found {again} twice"),
    );
}

#[test]
fn a_chain_without_blocks() {
    let state = synthetic(2, 5);
    let slot = [&[0x81, 0x83, 0x1a][..], &70_000_000u32.to_be_bytes()].concat();
    let bytes = state.write(CONWAY);
    refused(
        &replaced(&bytes, &slot, &[0x80]),
        "last block of the ledger: expected a list of 1 item, found a list of 0 items",
    );
}

#[test]
fn places_in_messages() {
    let mut state = synthetic(2, 5);
    state.nonces.eta_v = Nonce::Value(Hash::new([0xab; 32]));
    let bytes = state.write(CONWAY);
    let nonce = [&[0x82, 1][..], &bytes_of(&[0xab; 32])].concat();
    let changed = replaced(&bytes, &nonce, &[&[0x82, 2][..], &nonce[2..]].concat());
    let at = bytes.windows(nonce.len()).position(|here| here == nonce);
    match LedgerState::read(&changed[..]).unwrap_err() {
        LedgerError::Unexpected {
            at: place,
            place: what,
            expected,
            found,
        } => {
            assert_eq!(Some(place as usize), at.map(|at| at + 1));
            assert_eq!(what, "evolving nonce of the Praos state");
            assert_eq!(
                (&expected[..], &found[..]),
                ("the number 1", "the number 2")
            );
        }
        other => panic!("{other}"),
    }
}
