//! Tests that unknown layouts and contradictions are refused, with a message that gives their place.

use klero_cardano::{Era, Hash, LedgerState, Nonce};
use klero_leader::Distribution;

use crate::synthetic::{in_era, synthetic};
use crate::{OLDER, eras};

/// `synthetic(3, 6)` in every layout.
fn layouts() -> [Vec<u8>; 2] {
    [OLDER.to_vec(), synthetic(3, 6).write()]
}

#[track_caller]
fn refused(bytes: &[u8], message: &str) {
    let error = LedgerState::read(bytes).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
}

/// Replaces bytes that occur once.
#[track_caller]
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    crate::replaced(bytes, old, new, 1)
}

fn bytes_of(hash: &[u8]) -> Vec<u8> {
    [&[0x58, hash.len() as u8], hash].concat()
}

/// Each case changes one of the first bytes.
#[test]
fn other_eras_and_versions() {
    let bytes = synthetic(2, 5).write();
    for (place, value, words) in [
        (0, 0x83, "a list of 2 items, found a list of 3 items"),
        (0, 0x9f, "found a list of indefinite length"),
        (1, 0x02, "expected the number 1, found the number 2"),
        (2, 0x81, "a list of 2 items, found a list of 1 item"),
        (3, 0x82, "found 2 (up to Shelley)"),
        (3, 0x85, "6 (up to Babbage) or 7 (up to Conway), found 5"),
        (3, 0x88, "found 8 (up to Dijkstra)"),
        (3, 0x89, "found 9"),
        (3, 0xa7, "found a map of 7 items"),
        (4, 0x83, "bounds of an era of the ledger"),
        (5, 0x85, "3 or 4 items, found a list of 5 items"),
        (6, 0xff, "the ledger: expected an item, found a break"),
        (6, 0x1c, "an item of CBOR, found byte 0x1c"),
    ] {
        let mut changed = bytes.clone();
        changed[place] = value;
        refused(&changed, &format!("byte {place} of the ledger state, "));
        refused(&changed, words);
    }
    refused(
        &in_era(Era::Byron, synthetic(2, 5)).write(),
        "found 1 (up to Byron)",
    );
    refused(
        &[0x82, 1, 0x82],
        "the ledger state ends at byte 3, where eras of the ledger should be",
    );
    refused(
        &[&bytes[..], &[0]].concat(),
        "end of the Praos state: expected no more bytes, found more bytes",
    );
}

/// A mix of layouts is refused. Eras that differ between the ledger and the header state are also refused.
#[test]
fn other_numbers_of_fields() {
    let state = synthetic(3, 6);
    let [older, newer] = layouts();
    let slot = 70_000_000u32.to_be_bytes();
    let last = bytes_of(&state.last.hash[..]);
    let pool = bytes_of(state.snapshots[2].pools.keys().next().unwrap().as_bytes());
    let share = bytes_of(state.stake.pools().next().unwrap().0.as_bytes());
    let reserves = [&[0x82, 0x1b][..], &(1u64 << 50).to_be_bytes()].concat();
    let last_slot = [&[0x82, 1, 0x1a][..], &slot].concat();
    // Three parts: a state with the bytes before and after the head of one of its lists; the right and a
    // wrong number of items of this list; and the name of the list.
    type List<'a> = ([&'a [u8]; 3], [u8; 2], &'static str);
    let lists: [List<'_>; _] = [
        ([&older, &last, &[0x18, 164]], [7, 8], "new epoch state"),
        ([&newer, &[], &reserves], [4, 6], "the epoch state"),
        ([&older, &[0x82, 0], &last_slot], [7, 8], "Praos state"),
        ([&newer, &[0x82, 0], &last_slot], [8, 7], "Praos state"),
        ([&older, &pool, &[]], [9, 10], "pool of the go snapshot"),
        ([&newer, &pool, &[]], [10, 11], "pool of the go snapshot"),
        ([&newer, &share, &[0xd8, 30]], [3, 4], "pool distribution"),
    ];
    for ([bytes, before, behind], [right, other], what) in lists {
        let list = |items: u8| [before, &[0x80 | items], behind].concat();
        refused(
            &replaced(bytes, &list(right), &list(other)),
            &format!("{what}: expected a list of {right} items, found a list of {other} items"),
        );
    }
    let praos = |version| [&[0x82, version, 0x88][..], &last_slot].concat();
    refused(
        &replaced(&newer, &praos(0), &praos(1)),
        "version of the Praos state: expected the number 0, found the number 1",
    );
    // If the ledger has four fields, a newer node wrote it. Then each snapshot must have two fields.
    let ledger = |items: u8| [&[0x82, 2, 0x80 | items, 0x81, 0x83, 0x1a][..], &slot].concat();
    refused(
        &replaced(&older, &ledger(3), &ledger(5)),
        "list of the ledger: expected a list of 3 or 4 items, found a list of 5 items",
    );
    refused(
        &replaced(&older, &ledger(3), &ledger(4)),
        "list of the mark snapshot: expected a list of 2 items, found a list of 3 items",
    );
    refused(
        &replaced(&newer, &[0x0a, 0x59, 0x80], &[0x0a, 0x59, 0x82, 0, 0]),
        "latest round of Peras of the ledger: expected a list of 0 or 1 items, found a list of 2 items",
    );
    // Rounds of Peras are refused if only the header state has them, or if an older node wrote the state.
    let [without, with] = [&[][..], &[0]].map(|round| eras(&state, round));
    let header = |eras: &[u8]| [eras, &[0x82, 0, 0x88]].concat();
    refused(
        &replaced(&newer, &header(&without), &header(&with)),
        "eras of the header state: expected those of the ledger, found others",
    );
    let mut round = older.clone();
    round[5] = 0x84;
    round.insert(5 + 14, 0);
    refused(
        &round,
        "list of the ledger: expected a list of 4 items, found a list of 3 items",
    );
}

#[test]
fn other_vrf_keys() {
    let state = synthetic(3, 6);
    let vrf = state.snapshots[2].pools.values().next().unwrap();
    let vrf = bytes_of(vrf.as_bytes());
    for bytes in layouts() {
        refused(
            &replaced(&bytes, &vrf, &vrf[..1]),
            "VRF key hash of a pool of the go snapshot: expected a string of 32 bytes, found a string of",
        );
        refused(
            &replaced(&bytes, &vrf, &[0xf6]),
            "expected a string of 32 bytes, found simple value 22",
        );
    }
}

/// In the pool distribution, a pool's share has tag 30 in Conway, and no tag before Conway.
#[test]
fn shares_of_other_eras() {
    let state = synthetic(2, 5);
    let first = state.stake.pools().next().unwrap().0.as_bytes();
    let key = [&bytes_of(first)[..], &[0x83]].concat();
    let tagged = [&key[..], &[0xd8, 30]].concat();
    for (era, right, other, words) in [
        (Era::Babbage, &key, &tagged, "2 items, found tag 30"),
        (Era::Conway, &tagged, &key, "found a list of 2 items"),
    ] {
        let changed = replaced(&in_era(era, state.clone()).write(), right, other);
        refused(
            &changed,
            "share of a pool of the pool distribution: expected",
        );
        refused(&changed, words);
    }
}

/// The last block must be the same in the ledger, the header state and the Praos state.
#[test]
fn contradictions() {
    let hash = bytes_of(&synthetic(3, 6).last.hash[..]);
    let slot = [&[0x1a][..], &70_000_000u32.to_be_bytes()].concat();
    let number = [&[0x1a][..], &3_000_000u32.to_be_bytes()].concat();
    // Era, slot, hash and number of the last block in the header state.
    let tip = [&[0x82, 6, 0x83], &slot[..], &hash, &number].concat();
    let last_slot = [&[0x82, 1][..], &slot].concat();
    for bytes in layouts() {
        for (place, what, expected) in [
            (1, "era of the last block, counted from 0,", "the number 6"),
            (7, "slot of the last block", "the number 70000000"),
            (12, "hash of the last block", ""),
            (46, "number of the last block", "the number 3000000"),
        ] {
            let mut other = tip.clone();
            other[place] ^= 1;
            refused(
                &replaced(&bytes, &tip, &other),
                &format!("{what} of the header state: expected {expected}"),
            );
        }
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
    let state = synthetic(3, 6);
    let by = &state.snapshots[0].delegators[3];
    let key = bytes_of(&by.hash[..]);
    let [stake, most] = [by.stake, u64::MAX].map(|n| [&[0x1b][..], &n.to_be_bytes()].concat());
    let mut newer = state.clone();
    newer.snapshots[0].delegators[3].stake = u64::MAX;
    let older = replaced(
        OLDER,
        &[&key[..], &stake].concat(),
        &[&key[..], &most].concat(),
    );
    for bytes in [older, newer.write()] {
        refused(
            &bytes,
            "stake of the mark snapshot: expected a sum below 2^64",
        );
    }
    // The total is too large by one, but the shares are still fractions of the right total.
    for bytes in layouts() {
        let total = |n: u64| [&[0x1b][..], &n.to_be_bytes(), &[0xf6]].concat();
        let right = state.stake.total();
        refused(
            &replaced(&bytes, &total(right), &total(right + 1)),
            &format!("of {}, as the stakes say, found", right + 1),
        );
    }
}

/// One pool has all the stake. Then the total is made smaller by one, so the pool has more than the total.
#[test]
fn a_pool_with_more_than_the_total() {
    let mut state = synthetic(2, 5);
    let (id, pool) = state.stake.pools().next().unwrap();
    let (id, stake) = (*id, pool.stake.pool());
    let mut alone = Distribution::builder();
    alone.pool(id, stake, pool.vrf).unwrap();
    state.stake = alone.build().unwrap();
    let [most, less] = [stake, stake - 1].map(|n| [&[0x1b][..], &n.to_be_bytes()].concat());
    let key = [&bytes_of(id.as_bytes())[..], &[0x83, 0xd8, 30, 0x82]].concat();
    let bytes = replaced(
        &state.write(),
        &[&key[..], &[1, 1]].concat(),
        &[&key[..], &most, &less].concat(),
    );
    refused(
        &replaced(
            &bytes,
            &[&most[..], &[0xf6]].concat(),
            &[&less[..], &[0xf6]].concat(),
        ),
        &format!(
            "the ledger state's stake of epoch 164: pool {id} has {stake} lovelace, above the total of {}",
            stake - 1
        ),
    );
}

#[test]
fn keys_that_occur_twice() {
    let state = synthetic(3, 20);
    let [first, second] = [0, 1].map(|n| state.counters.keys().nth(n).unwrap());
    let bytes = state.write();
    // Each key occurs three times: in the two counts of blocks, and then in the certificate counters.
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

    // A delegator's key occurs in the stake and in the delegations.
    let go = &synthetic(3, 6).snapshots[2].delegators;
    let [again, other] = [0, 1].map(|n| go.iter().filter(|by| by.script).nth(n).unwrap().hash);
    refused(
        &crate::replaced(OLDER, &other[..], &again[..], 2),
        &format!("stake of the go snapshot: expected each delegator once, found {again} twice"),
    );
}

#[test]
fn a_state_without_a_last_block() {
    let [slot, number] = [70_000_000u32, 3_000_000].map(|n| n.to_be_bytes());
    let [slot, number] = [slot, number].map(|n| [&[0x1a][..], &n].concat());
    let hash = bytes_of(&synthetic(3, 6).last.hash[..]);
    let ledger = [&[0x81, 0x83][..], &slot, &number, &hash].concat();
    let header = [&[0x81, 0x82, 6, 0x83][..], &slot, &hash, &number].concat();
    let praos = [&[0x82, 1][..], &slot].concat();
    for bytes in layouts() {
        let no_header = replaced(&bytes, &header, &[0x80]);
        for bytes in [&no_header, &replaced(&no_header, &praos, &[0x81, 0])] {
            refused(bytes, "has no last block: expected one after a block");
        }
        refused(
            &replaced(&bytes, &ledger, &[0x80]),
            "last block of the ledger: expected a list of 1 item, found a list of 0 items",
        );
        refused(
            &replaced(&bytes, &praos, &[0x81, 0]),
            "last slot of the Praos state: expected a list of 2 items, found a list of 1 item",
        );
    }
}

#[test]
fn places_in_messages() {
    let mut state = synthetic(2, 5);
    state.nonces.eta_v = Nonce::Value(Hash::new([0xab; 32]));
    let bytes = state.write();
    let nonce = [&[0x82, 1][..], &bytes_of(&[0xab; 32])].concat();
    let changed = replaced(&bytes, &nonce, &[&[0x82, 2][..], &nonce[2..]].concat());
    let at = 1 + bytes
        .windows(nonce.len())
        .position(|here| here == nonce)
        .unwrap();
    let place = format!("byte {at} of the ledger state, evolving nonce of the Praos state");
    refused(
        &changed,
        &format!("{place}: expected the number 1, found the number 2"),
    );
}
