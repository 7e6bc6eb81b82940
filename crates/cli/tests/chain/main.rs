//! `klero chain` where no page can show it: a real chain, a chain of an era to come, signals, memory.
//! The pages in `golden` show the rest.

#[path = "../common/mod.rs"]
mod common;

mod db;
mod dijkstra;
#[cfg(unix)]
mod interrupt;
mod memory;
mod preview;
mod run;

/// The help refers to this page for every kind, its fields and its meaning.
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
