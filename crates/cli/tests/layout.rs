//! Tests that output for people fits the terminal: tables omit columns, and lines are broken between words.

mod common;

use std::fs;

use common::Place;
use klero_forge::{Forged, Recipe, forge};

/// Asserts that no line is wider than `width`, unless the line is one word, such as a hash.
#[track_caller]
fn fits(text: &str, width: usize) {
    for line in text.lines() {
        let words = line.split_whitespace().filter(|word| *word != "│").count();
        let columns = line.chars().count();
        assert!(columns <= width || words == 1, "{columns}: {line}\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

/// The output of a command in a terminal of this width.
fn shown(place: &Place, width: usize, line: &str, status: i32) -> String {
    let ran = place.run_where("COLUMNS", &width.to_string(), line);
    let text = ran.ends(status).stdout;
    fits(&text, width);
    text
}

/// The lines of a table: the header line, which begins with `first`, and the rows.
fn table<'t>(text: &'t str, first: &str) -> Vec<&'t str> {
    let lines = text.lines();
    let lines = lines.skip_while(|line| !line.trim_start().starts_with(first));
    lines.take_while(|line| !line.is_empty()).collect()
}

fn chain() -> (Place, Forged) {
    let place = Place::new();
    let forged = forge(&Recipe::sample(), &place.path("db"), |_, _| {}).unwrap();
    (place, forged)
}

#[test]
fn a_chain() {
    let (place, forged) = chain();
    let nonce = forged.epochs[5].nonce.unwrap().to_string();
    for width in [40, 60, 80, 100, 120, 140] {
        let eras = shown(&place, width, "chain verify db", 0);
        let epochs = shown(&place, width, "chain verify db --epochs", 0);
        if width >= 60 {
            assert_eq!(table(&eras, "epochs").len(), 1 + 7, "{eras}");
            assert_eq!(table(&epochs, "epoch").len(), 1 + forged.epochs.len());
        }
        // In a terminal of 60 to 120 characters, columns with equal values become the column "headers". With
        // fewer than 120 characters, the nonce is cut.
        assert_eq!(epochs.contains(&nonce), width >= 120, "{epochs}");
        assert!(epochs.contains(&nonce[..8]), "{epochs}");
        let is_folded = epochs.contains("headers");
        assert_eq!(is_folded, (60..=120).contains(&width), "{epochs}");
    }
    // In a pipe, the table is the same as on a terminal of 160 characters, and no sentence is broken.
    let text = place.run("chain verify db --epochs").ends(0).stdout;
    let wide = shown(&place, 160, "chain verify db --epochs", 0);
    assert_eq!(table(&text, "epoch"), table(&wide, "epoch"));
    assert!(text.contains("\nNot checked: who may lead (registrations, stake, threshold), except"));
    assert!(text.ends_with("and CRC-32s.\n"), "{text}");
}

/// The report on a damaged chain has more columns, and words of any length.
#[test]
fn a_damaged_chain() {
    let (place, _) = chain();
    let file = place.path("db/immutable/00020.chunk");
    let mut chunk = fs::read(&file).unwrap();
    chunk[300] ^= 1;
    fs::write(file, chunk).unwrap();
    for width in [60, 80, 120] {
        // Each era and the damaged epoch have a row. With `--epochs`, each epoch has a row instead.
        for (options, rows) in [("", 8), (" --epochs", 15)] {
            let text = shown(&place, width, &format!("chain verify db{options}"), 1);
            assert_eq!(table(&text, "epoch").len(), 1 + rows, "{text}");
            assert!(text.contains("\nFirst damaged chunk: 00020\n"), "{text}");
        }
    }
}

#[test]
fn suites_tokens_and_benchmarks() {
    let place = Place::new();
    place.run("token keygen").ends(0);
    let payload = format!("--payload={}", "an account ".repeat(15));
    place.run_and("token mint --key token.skey --out t", &payload);
    let verify = "token verify t --root token.vkey --no-challenge --none-revoked";
    let suites = ["try and increment", "proof bytes", "experiment:"];
    for (line, parts) in [
        ("suites", &suites[..]),
        (
            "bench --rounds 3 --only alone",
            &["alone, praos", "per second"],
        ),
        ("token inspect t", &["revocation id:", "an account an"]),
        (verify, &["revocation id:", "an account an"]),
    ] {
        for width in [60, 80, 200] {
            let text = shown(&place, width, line, 0);
            let is_whole = |word: &str| word.len() == 64;
            assert!(!line.contains("token") || text.split_whitespace().any(is_whole));
            let text = text.replace("\n  ", " ");
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        }
    }
}

/// The tables in help texts stay as they were written, even in a narrow terminal.
#[test]
fn help() {
    let place = Place::new();
    for (line, from) in [
        ("--help", "Environment:"),
        ("chain verify --help", "Exit status:"),
        ("suites --help", "Columns:"),
    ] {
        let [narrow, wide] = ["80", "120"].map(|width| {
            let help = place.run_where("COLUMNS", width, line).ends(0).stdout;
            let (_, tables) = help.split_once(from).unwrap();
            tables.split("Usage:").next().unwrap().to_owned()
        });
        assert_eq!(narrow, wide);
    }
}

/// On a terminal, the report is as wide as the terminal. The verdict is in colour unless `NO_COLOR` is set.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal() {
    let (place, _) = chain();
    let klero = env!("CARGO_BIN_EXE_klero");
    let run = |columns: usize, before: &str| {
        let line = format!("stty rows 40 cols {columns}; {before} {klero} chain verify db");
        common::on_a_terminal(&place, &line, "")
    };
    let Some(text) = run(80, "") else {
        return; // there is no program `script`
    };
    let verdict = "\n\u{1b}[1m\u{1b}[32mAll valid:\u{1b}[0m 4,018 proofs in";
    assert!(text.contains(verdict), "{text:?}");
    assert!(text.contains(" KES  certificates  bodies"), "{text}");
    let plain = run(60, "NO_COLOR=1").unwrap();
    let verdict = "\nAll valid: 4,018 proofs in 3,021 blocks.\n";
    let report = plain.find(verdict).unwrap();
    fits(&plain[report..], 60);
    assert!(plain.contains(" proofs  headers"), "{plain}");
}
