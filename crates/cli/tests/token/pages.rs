//! The commands on the pages run as they stand there.

use std::process::Command;

use crate::common::Place;

/// The blocks of shell in a page that use tokens.
fn blocks(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split_once("```").expect("a block ends").0);
    blocks
        .filter(|block| block.contains("klero token"))
        .collect()
}

/// Runs a block in a place of its own, and returns what it prints.
fn run(block: &str) -> String {
    let place = Place::new();
    let command = std::path::Path::new(env!("CARGO_BIN_EXE_klero"));
    let path = std::env::var("PATH").unwrap();
    let output = Command::new("sh")
        .args(["-e", "-u", "-c", block])
        .env(
            "PATH",
            format!("{}:{path}", command.parent().unwrap().display()),
        )
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{block}\n{said}\n{errors}");
    assert_eq!(errors, "", "{block}");
    said
}

#[test]
fn the_page_of_tokens_runs() {
    let page = include_str!("../../../../docs/tokens.md");
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let said = run(block);
        assert!(
            said.ends_with("allowed\npayload of 10 bytes: account 17\n"),
            "{said}"
        );
    }
}

#[test]
fn the_first_page_runs() {
    let page = include_str!("../../../../README.md");
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 1);
    let said = run(blocks[0]);
    assert!(
        said.contains("\nvalid: token of scheme chain, ")
            && said.ends_with("allowed\npayload of 10 bytes: account 17\n"),
        "{said}"
    );
}
