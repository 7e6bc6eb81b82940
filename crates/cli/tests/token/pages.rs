//! The commands on the pages run as they stand there.

use crate::common::Place;

/// The blocks of shell in a page that use tokens.
fn blocks(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split_once("```").expect("a block ends").0);
    blocks
        .filter(|block| block.contains("klero token"))
        .collect()
}

#[test]
fn the_page_of_tokens_runs() {
    let page = include_str!("../../../../docs/tokens.md");
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let said = Place::new().shell(block);
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
    let said = Place::new().shell(blocks[0]);
    assert!(
        said.contains("\nvalid: token of scheme chain, ")
            && said.ends_with("allowed\npayload of 10 bytes: account 17\n"),
        "{said}"
    );
}
