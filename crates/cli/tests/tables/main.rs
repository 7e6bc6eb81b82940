//! `klero batch` and `klero sample`: tables of claims in every format, right and wrong.

#[path = "../common/mod.rs"]
mod common;

mod bad_rows;
mod bad_tables;
mod dialects;
mod files;
mod long;
mod passed;
mod prove;
mod samples;
mod several;
mod suites;
mod terminal;
mod types;
mod verify;

use std::collections::HashMap;

use common::{Place, Ran};

fn verify_csv(text: impl Into<Vec<u8>>) -> Ran {
    Place::new().run_with("batch verify - --format csv --suite praos", text)
}

fn verify_jsonl(text: impl Into<Vec<u8>>) -> Ran {
    Place::new().run_with("batch verify - --format jsonl --suite praos", text)
}

fn sample(format: &str) -> String {
    Place::new()
        .run(&format!(
            "sample --suite praos --count 3 --out - --out-format {format}"
        ))
        .ends(0)
        .stdout
}

/// The verdict in a line whose other fields may not be text.
fn verdict_in(line: &str) -> String {
    let fields: HashMap<&str, &serde_json::value::RawValue> = serde_json::from_str(line).unwrap();
    serde_json::from_str(fields["verdict"].get()).unwrap()
}

/// Asserts that the command refuses a line with these words.
#[track_caller]
fn refuses(place: &Place, line: &str, words: &str) {
    let ran = place.run(line).ends(2);
    assert!(ran.stderr.contains(words), "{line}: {}", ran.stderr);
}
