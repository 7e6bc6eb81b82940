//! Tests of the CRC-32 beside a state.

use std::fs;
use std::path::{Path, PathBuf};

use klero_cardano::{Checksum, LedgerError, LedgerState};
use tempfile::TempDir;

use crate::synthetic::synthetic;

/// Makes a directory with a ledger state, as a node writes it.
fn saved() -> (TempDir, PathBuf) {
    let place = TempDir::new().unwrap();
    let dir = place.path().join("70000000");
    synthetic(3, 6).save(&dir).unwrap();
    (place, dir)
}

fn crc(path: &Path) -> u32 {
    crc32fast::hash(&fs::read(path).unwrap())
}

fn checksum(path: &Path) -> Checksum {
    LedgerState::load(path).unwrap().checksum
}

#[track_caller]
fn refused(path: &Path, words: &str) {
    let error = LedgerState::load(path).unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

fn meta(backend: &str, checksum: u32) -> String {
    format!(r#"{{"backend":"{backend}","checksum":{checksum},"tablesCodecVersion":1}}"#)
}

#[test]
fn a_flipped_bit_in_state_or_tables_is_refused() {
    let (_place, dir) = saved();
    assert_eq!(checksum(&dir), Checksum::Right);
    assert_eq!(checksum(&dir.join("state")), Checksum::Right);
    for name in ["state", "tables"] {
        let bytes = fs::read(dir.join(name)).unwrap();
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(dir.join(name), flipped).unwrap();
            let error = LedgerState::load(&dir).unwrap_err();
            assert!(matches!(error, LedgerError::Checksum { .. }), "{error}");
        }
        fs::write(dir.join(name), bytes).unwrap();
    }
    assert_eq!(checksum(&dir), Checksum::Right);
}

#[test]
fn every_place_of_a_checksum() {
    let (place, dir) = saved();
    let state = dir.join("state");
    let of_state = crc(&state);
    let of_both = fs::read(dir.join("meta")).unwrap();
    // Nodes up to 10.6 write the tables to a file in the directory `tables`.
    fs::rename(dir.join("tables"), dir.join("tvar")).unwrap();
    fs::create_dir(dir.join("tables")).unwrap();
    fs::rename(dir.join("tvar"), dir.join("tables/tvar")).unwrap();
    assert_eq!(checksum(&dir), Checksum::Right);
    // Without the tables, `meta` is accepted only if its CRC-32 is that of the state alone.
    fs::remove_dir_all(dir.join("tables")).unwrap();
    refused(&dir, "meta: it covers the tables, which belong beside it: ");
    fs::write(dir.join("meta"), meta("utxohd-mem", of_state)).unwrap();
    assert_eq!(checksum(&dir), Checksum::Right);
    // It is not known what the CRC-32 of the other backends covers.
    for backend in ["utxohd-lmdb", "utxohd-lsm"] {
        for sum in [of_state, 0] {
            fs::write(dir.join("meta"), meta(backend, sum)).unwrap();
            assert_eq!(checksum(&dir), Checksum::NotChecked);
        }
    }
    // Adds a file `checksum` beside `meta`, with each spelling of the digits, and then removes `meta`.
    let digits = format!("{of_state:08x}");
    for digits in [&digits, &digits.to_uppercase(), &format!("{digits}\n")] {
        fs::write(dir.join("checksum"), digits).unwrap();
        assert_eq!(checksum(&dir), Checksum::Right);
    }
    fs::remove_file(dir.join("meta")).unwrap();
    assert_eq!(checksum(&dir), Checksum::Right);
    let other = format!("{:08x}", of_state ^ 1);
    fs::write(dir.join("checksum"), &other).unwrap();
    let message = format!(
        "the CRC-32 is {of_state} ({of_state:08x}), expected {}",
        of_state ^ 1
    );
    refused(
        &state,
        &format!(
            "{message} ({other}), as in {}",
            dir.join("checksum").display()
        ),
    );
    // If a state file is called NAME instead of `state`, only the file NAME.checksum is used.
    let alone = dir.join("71000000");
    fs::copy(&state, &alone).unwrap();
    fs::write(dir.join("meta"), of_both).unwrap();
    assert_eq!(checksum(&alone), Checksum::NotChecked);
    fs::write(dir.join("71000000.checksum"), digits).unwrap();
    assert_eq!(checksum(&alone), Checksum::Right);
    fs::write(dir.join("71000000.checksum"), other).unwrap();
    refused(&alone, "71000000.checksum");
    drop(place);
}

#[test]
fn checksums_that_are_not_understood() {
    let (_place, dir) = saved();
    let right = fs::read_to_string(dir.join("meta")).unwrap();
    let other = |old, new| right.replace(old, new);
    for (name, text, words) in [
        ("checksum", "", "checksum: expected 8 hexadecimal digits"),
        ("checksum", "0123456", "expected 8 hexadecimal digits"),
        ("checksum", "+1234567", "expected 8 hexadecimal digits"),
        ("checksum", "0x123456", "expected 8 hexadecimal digits"),
        ("state.checksum", "a word", "state.checksum: expected 8"),
        ("meta", "", "meta: EOF while parsing"),
        ("meta", "{}", "meta: missing field `backend`"),
        ("meta", &meta("other", 1), "unknown variant `other`"),
        ("meta", &other(":1}", ":1}}"), "meta: trailing characters"),
        ("meta", &other("sum\":", "sum\":-"), "expected u32"),
        ("meta", &other("sum\":", "sum\":9999"), "expected u32"),
    ] {
        let file = dir.join(name);
        let before = fs::read(&file).ok();
        fs::write(&file, text).unwrap();
        refused(&dir, words);
        match before {
            Some(bytes) => fs::write(&file, bytes).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
    }
    assert_eq!(checksum(&dir), Checksum::Right);
}
