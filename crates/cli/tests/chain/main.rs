//! Tests of `klero chain` for cases that the recorded sessions in `golden` cannot cover: a real chain, a
//! chain of a future era, signals and memory.

#[path = "../common/mod.rs"]
mod common;

mod db;
mod dijkstra;
#[cfg(unix)]
mod interrupt;
mod memory;
mod preview;
mod run;

/// The help refers to `docs/rules.md` for the fields and the meaning of every kind of finding.
#[test]
fn every_kind_of_finding_has_a_row_in_docs_rules() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<&str> = rows.filter_map(|row| row.split(" | ").next()).collect();
    for name in klero_cardano::Fault::NAMES {
        let name = format!("`{name}`");
        assert!(rows.iter().any(|row| row.contains(&name)), "{name}");
    }
}
