//! Files of JSON: states, stake and anchors.

use std::fmt::Write;

use klero_audit::{Anchor, Check, Counts, State, read_anchors};
use klero_cardano::{Hash, LastBlock};
use klero_forge::Forged;
use klero_leader::{Distribution, stake_snapshot, stake_table};

use super::{HONEST, read};

/// Answers to the two queries for stake.
pub const STAKES: [&str; 2] = [
    r#"{"pools": {"07070707070707070707070707070707070707070707070707070707":
    {"stakeMark": 30, "stakeSet": 20, "stakeGo": 10},
    "pool1pqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqqqqq":
    {"stakeMark": 18446744073709551615, "stakeSet": 0, "stakeGo": 1}},
    "total": {"stakeMark": 300, "stakeSet": 200, "stakeGo": 100}}"#,
    r#"{"07070707070707070707070707070707070707070707070707070707":
    {"numerator": 1, "denominator": 4},
    "08080808080808080808080808080808080808080808080808080808":
    {"numerator": 1, "denominator": 6}}"#,
];

/// A file of nonces and a file of checkpoints.
pub const TRUSTED: [&str; 2] = [
    r#"[{"epoch_no": 5000, "nonce":
    "0707070707070707070707070707070707070707070707070707070707070707"},
    {"nonce": "\\x0808080808080808080808080808080808080808080808080808080808080808",
    "epoch_no": 5001}]"#,
    r#"{"checkpoints": [{"blockNo": 2000, "hash":
    "0707070707070707070707070707070707070707070707070707070707070707"}]}"#,
];

/// The content of a state file, with a value of every kind.
pub fn honest_state(forged: &Forged) -> Vec<u8> {
    let state = State {
        conway: Some(507),
        network: forged.network.name().to_owned(),
        genesis_hash: forged.network.genesis_hash(),
        last: LastBlock {
            era: klero_cardano::Era::Babbage,
            boundary: true,
            slot: 117,
            number: 30,
            hash: Hash::new([7; 32]),
        },
        nonces: forged.nonces.clone(),
        checks: Check::ALL.into(),
        certificate_numbers: [(Hash::new([7; 28]), 3)].into(),
        tied: Some(110),
        ties: [Some(100), None],
        met: [Anchor::Block {
            slot: 110,
            hash: Hash::new([8; 32]),
        }]
        .into(),
        totals: Counts {
            blocks: 30,
            proofs: 40,
            ..Counts::default()
        },
    };
    serde_json::to_vec(&state).unwrap()
}

/// Reads the bytes as a state file. Then reads them as a bare state, without the hash that a state file has.
pub fn state(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(state) = read(State::from_json(&text)) {
        assert!(State::from_json(&state.to_json()).unwrap() == state);
    }
    if let Some(state) = read(serde_json::from_str::<State>(&text)) {
        let written = state.to_json();
        assert!(State::from_json(&written).unwrap() == state);
        // The file is refused if a space is added to the name of its last field.
        let end = written.rfind('"').unwrap();
        assert!(State::from_json(&(written[..end].to_owned() + " " + &written[end..])).is_err());
    }
}

/// Reads the bytes as the answer to each of the two queries for stake: as a table, and as a snapshot.
pub fn stake(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = read(stake_table(&text, None, 0));
    for stake in read(stake_snapshot(&text, 7)).unwrap_or_default().values() {
        for again in stake_snapshot(&written(stake), 7).unwrap().values() {
            assert!(again.pools().eq(stake.pools()) && again.total() == stake.total());
        }
    }
}

fn written(stake: &Distribution) -> String {
    let amounts = |n: u64| format!(r#"{{"stakeMark": {n}, "stakeSet": {n}, "stakeGo": {n}}}"#);
    let mut pools = String::new();
    for (id, pool) in stake.pools() {
        let comma = if pools.is_empty() { "" } else { "," };
        let amounts = amounts(pool.stake.pool());
        write!(pools, r#"{comma}"{}": {amounts}"#, id.to_hex()).unwrap();
    }
    let total = amounts(stake.total());
    format!(r#"{{"pools": {{{pools}}}, "total": {total}}}"#)
}

/// Reads a file of nonces or checkpoints.
pub fn trusted(bytes: &[u8]) {
    let read_from = |bytes: &[u8]| {
        let path = HONEST.file(bytes);
        read_anchors(&path, &HONEST.network, Some(7))
    };
    let Some(anchors) = read(read_from(bytes)) else {
        return;
    };
    let entries = anchors.iter().map(|anchor| match anchor {
        Anchor::Number { number, hash } => {
            format!(r#"{{"blockNo": {number}, "hash": "{hash}"}}"#)
        }
        Anchor::Nonce { epoch, nonce } => format!(r#"{{"epoch": {epoch}, "nonce": "{nonce}"}}"#),
        Anchor::Block { .. } | Anchor::Tip { .. } => panic!("{anchor:?} in a file"),
    });
    let entries = Vec::from_iter(entries).join(",");
    let again = read_from(format!("[{entries}]").as_bytes());
    assert_eq!(again.unwrap(), anchors);
}
