//! Tests with states from the golden files of ouroboros-consensus. These states are refused only because they
//! have no last block. A state with a list of wrong length is refused for another reason.

use std::fs;
use std::path::Path;

use klero_cardano::{LedgerError, LedgerState};

/// A CBOR item with its bytes. If it is a list, it also has its items.
struct Item {
    bytes: Vec<u8>,
    list: Option<Vec<Item>>,
}

/// Reads an item. Only the forms that occur in the files are supported.
fn item(bytes: &[u8], at: &mut usize) -> Item {
    let start = *at;
    let head = bytes[start];
    let wide = match head & 0x1f {
        short @ 24..=27 => 1 << (short - 24),
        _ => 0,
    };
    let number = match wide {
        0 => usize::from(head & 0x1f),
        _ => bytes[start + 1..=start + wide]
            .iter()
            .fold(0, |n, byte| n << 8 | usize::from(*byte)),
    };
    *at += 1 + wide;
    let within = match head >> 5 {
        2 | 3 => {
            *at += number;
            0
        }
        4 => number,
        5 => 2 * number,
        6 => 1,
        _ => 0,
    };
    let within: Vec<Item> = (0..within).map(|_| item(bytes, at)).collect();
    let bytes = bytes[start..*at].to_vec();
    let list = (head >> 5 == 4).then_some(within);
    Item { bytes, list }
}

/// Encodes a list of these items.
fn list(items: &[&[u8]]) -> Vec<u8> {
    let head = match items.len() {
        n @ ..24 => vec![0x80 | n as u8],
        n => vec![0x98, n as u8],
    };
    [head, items.concat()].concat()
}

/// Adds changed copies of the item to `found`. In each copy, one list is longer or shorter by one item. Each
/// copy is added with the path of that list. Lists at or below the paths in `passed` are not changed, because
/// the reader skips them or accepts several lengths.
fn changed(of: &Item, path: &str, passed: &[String], found: &mut Vec<(String, Vec<u8>)>) {
    let Some(items) = &of.list else { return };
    if passed.iter().any(|passed| path.starts_with(passed)) {
        return;
    }
    let bytes: Vec<&[u8]> = items.iter().map(|item| &item.bytes[..]).collect();
    for longer in [
        &[0][..],
        &[0x80],
        &[0xa0],
        bytes.last().unwrap_or(&&[0xf6][..]),
    ] {
        found.push((format!("{path}+"), list(&[&bytes[..], &[longer]].concat())));
    }
    if let Some((_, fewer)) = bytes.split_last() {
        found.push((format!("{path}-"), list(fewer)));
    }
    for (n, item) in items.iter().enumerate() {
        let mut within = Vec::new();
        changed(item, &format!("{path}{n}."), passed, &mut within);
        for (path, other) in within {
            let mut all = bytes.clone();
            all[n] = &other;
            found.push((path, list(&all)));
        }
    }
}

/// Returns changed copies of the bytes. In each copy, the head of one list announces one item more or fewer
/// than the list has.
fn counts(bytes: &[u8]) -> Vec<Vec<u8>> {
    fn heads(of: &Item, start: usize, found: &mut Vec<usize>) {
        let Some(items) = &of.list else { return };
        let head = if of.bytes[0] == 0x98 { 2 } else { 1 };
        found.push(start + head - 1);
        let mut at = start + head;
        for item in items {
            heads(item, at, found);
            at += item.bytes.len();
        }
    }
    let mut found = Vec::new();
    heads(&item(bytes, &mut 0), 0, &mut found);
    let other = |at: usize, n: u8| {
        let mut other = bytes.to_vec();
        other[at] = other[at].wrapping_add(n);
        other
    };
    found
        .iter()
        .flat_map(|at| {
            let is_empty = bytes[*at] == 0x80;
            let fewer = (!is_empty).then(|| other(*at, u8::MAX));
            [Some(other(*at, 1)), fewer]
        })
        .flatten()
        .collect()
}

#[test]
fn golden_states_are_read_to_their_end_and_no_list_has_another_length() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/ledger-states");
    let mut states = 0;
    for (era, eras) in [("Babbage", 6), ("Conway", 7)] {
        for release in ["0.30.0.1", "1.0.0.0", "2.0.0.0"] {
            let Ok(bytes) = fs::read(dir.join(format!("{release}-{era}.cbor"))) else {
                eprintln!("SKIPPED: no ledger states at {}", dir.display());
                continue;
            };
            states += 1;
            let refused = |bytes: &[u8]| LedgerState::read(bytes).unwrap_err();
            let error = refused(&bytes);
            assert!(matches!(error, LedgerError::NoLastBlock), "{error}");
            assert_eq!(
                error.to_string(),
                "the ledger state is whole, but has no last block: expected one after a block"
            );
            // Some lists are not changed. The latest round of Peras and the rewards may be missing. The
            // certificates, outputs and addresses of the new epoch state are skipped.
            let ledger = format!(".1.0.{}.1.1.", eras - 1);
            let passed = ["3.", "1.4.", "1.3.1.", "1.6."];
            let passed = passed.map(|of| format!("{ledger}{of}"));
            let mut others = Vec::new();
            changed(&item(&bytes, &mut 0), ".", &passed, &mut others);
            assert!(others.len() > 200, "{}", others.len());
            for (path, other) in &others {
                let error = refused(other);
                let is_named = !matches!(error, LedgerError::NoLastBlock);
                assert!(is_named, "{release} {era}, {path}");
            }
            for other in counts(&bytes) {
                let error = refused(&other);
                assert!(
                    !matches!(error, LedgerError::NoLastBlock),
                    "{release} {era}"
                );
            }
        }
    }
    assert!(states == 0 || states == 6);
}
