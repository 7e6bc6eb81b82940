//! What people read fits their terminal: tables lose columns, and text is broken between words.

mod common;

use std::fs;

use common::Place;
use klero_forge::{Recipe, forge};
use klero_token::{Caveat, Scheme, SecretKey, ThirdParty, Token};

/// Asserts that no line is wider, but for one word, such as a hash, that has a line of its own.
#[track_caller]
fn fits(text: &str, width: usize) {
    for line in text.lines() {
        let words = line.split_whitespace().filter(|word| *word != "│").count();
        let columns = line.chars().count();
        assert!(columns <= width || words == 1, "{columns}: {line}\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

/// What a command prints in a terminal of this width.
fn shown(place: &Place, width: usize, line: &str, status: i32) -> String {
    let ran = place.run_where("COLUMNS", &width.to_string(), line);
    let text = ran.ends(status).stdout;
    fits(&text, width);
    text
}

/// The line of a table's head, and the lines of its rows.
fn table<'t>(text: &'t str, first: &str) -> Vec<&'t str> {
    let lines = text
        .lines()
        .skip_while(|line| !line.trim_start().starts_with(first));
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn a_chain() {
    let place = Place::new();
    let forged = forge(&Recipe::sample(), &place.path("db"), |_, _| {}).unwrap();
    let eras = 7;
    for width in [40, 60, 80, 100, 120, 140] {
        let text = shown(&place, width, "chain verify db", 0);
        if width >= 60 {
            assert_eq!(table(&text, "epochs").len(), 1 + eras, "{text}");
        }
        let text = shown(&place, width, "chain verify db --epochs", 0);
        if width >= 60 {
            assert_eq!(
                table(&text, "epoch").len(),
                1 + forged.epochs.len(),
                "{text}"
            );
        }
        // First equal columns go, then digits of the nonce.
        let nonce = forged.epochs[5].nonce.unwrap().to_string();
        assert_eq!(text.contains(&nonce), width >= 120, "{text}");
        assert!(text.contains(&nonce[..8]), "{text}");
        let is_folded = text.contains("headers");
        assert_eq!(is_folded, (60..=120).contains(&width), "{width}: {text}");
    }
    // In a pipe, as in 160 columns, and no sentence is broken.
    let text = place.run("chain verify db --epochs").ends(0).stdout;
    assert_eq!(
        table(&text, "epoch"),
        table(&shown(&place, 160, "chain verify db --epochs", 0), "epoch")
    );
    assert!(text.contains("\nNot checked: who may lead (registrations, stake, threshold), except"));
    assert!(
        text.lines().last().unwrap().ends_with("and CRC-32s."),
        "{text}"
    );
}

/// A damaged chain has more columns, and words of any length.
#[test]
fn a_damaged_chain() {
    let place = Place::new();
    forge(&Recipe::sample(), &place.path("db"), |_, _| {}).unwrap();
    let number = 20;
    let file = place.path(&format!("db/immutable/{number:05}.chunk"));
    let mut chunk = fs::read(&file).unwrap();
    chunk[300] ^= 1;
    fs::write(file, chunk).unwrap();
    for width in [60, 80, 120] {
        for options in ["", " --epochs"] {
            let text = shown(&place, width, &format!("chain verify db{options}"), 1);
            // A row for each era, and one for the epoch that is damaged.
            let rows = table(&text, "epoch").len() - 1;
            assert_eq!(rows, if options.is_empty() { 8 } else { 15 }, "{text}");
            assert!(text.contains("\nFirst damaged chunk: 00020\n"), "{text}");
        }
    }
}

#[test]
fn suites() {
    let place = Place::new();
    for width in [60, 80, 200] {
        let text = shown(&place, width, "suites", 0);
        for part in [
            "rfc9381-ell2-bc",
            "try and increment",
            "proof bytes",
            "experiment:",
        ] {
            let text = text.replace("\n  ", " ");
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}

#[test]
fn tokens() {
    let place = Place::new();
    let root = SecretKey::generate(Scheme::Chain).unwrap();
    let party = SecretKey::generate(ThirdParty).unwrap();
    let caveats = [
        "path /a/path/with/many/segments",
        "method GET HEAD POST PUT DELETE PATCH",
    ];
    let caveats = caveats.map(|text| text.parse::<Caveat>().unwrap());
    let payload = "an account with a name that is longer than a line ".repeat(3);
    let token = Token::mint(&root, 0, payload.as_bytes(), &caveats).unwrap();
    let statement = token.request().unwrap().sign(&party, b"of age").unwrap();
    let token = token.append_statement(&statement).unwrap();
    place.write("token", token.to_text().unwrap().as_bytes());
    place.write("key", root.public_key().to_string());
    for width in [60, 80] {
        let text = shown(&place, width, "token inspect token", 0);
        let key = format!(" {}\n", party.public_key());
        assert!(text.contains(&key), "{text}");
        let verified = shown(
            &place,
            width,
            "token verify --no-challenge --none-revoked token --root key",
            0,
        );
        assert!(verified.contains(&key), "{verified}");
    }
}

#[test]
fn a_benchmark() {
    let place = Place::new();
    for width in [60, 80, 200] {
        let text = shown(&place, width, "bench --rounds 3 --only alone", 0);
        assert!(text.contains("verify one alone, praos"), "{text}");
        assert!(text.contains("per second"), "{text}");
    }
}

/// The tables in help texts are as they were written, in a narrow terminal too.
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

/// A terminal gives its width, and a verdict in colour unless that is not wanted.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal() {
    let place = Place::new();
    forge(&Recipe::sample(), &place.path("db"), |_, _| {}).unwrap();
    let klero = env!("CARGO_BIN_EXE_klero");
    let run = |columns: usize, before: &str| {
        let line = format!("stty rows 40 cols {columns}; {before} {klero} chain verify db");
        common::on_a_terminal(&place, &line, "")
    };
    let Some(text) = run(80, "") else {
        return; // no program script
    };
    assert!(
        text.contains("\n\u{1b}[1m\u{1b}[32mAll valid:\u{1b}[0m 4,018 proofs in"),
        "{text:?}"
    );
    assert!(text.contains(" KES  certificates  bodies"), "{text}");
    let plain = run(60, "NO_COLOR=1").unwrap();
    assert!(
        plain.contains("\nAll valid: 4,018 proofs in 3,021 blocks.\n"),
        "{plain:?}"
    );
    let report = plain.find("All valid").unwrap();
    fits(&plain[report..], 60);
    assert!(plain.contains(" proofs  headers"), "{plain}");
}
