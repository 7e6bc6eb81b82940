//! The code on the page is that of the examples.

const PAGE: &str = include_str!("../../../docs/migrate.md");

const EXAMPLES: [&str; 3] = [
    include_str!("../examples/vrf_dalek.rs"),
    include_str!("../examples/vrf_rfc9381.rs"),
    include_str!("../examples/akd_core.rs"),
];

#[test]
fn every_block_of_code_is_in_an_example() {
    let blocks: Vec<_> = PAGE
        .split("```rust\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("a block ends").0)
        .collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        assert!(
            EXAMPLES.iter().any(|example| example.contains(block)),
            "{block}"
        );
    }
}

#[test]
fn the_page_names_every_example_and_how_to_run_it() {
    for example in ["vrf_dalek", "vrf_rfc9381", "akd_core"] {
        let command = format!("cargo run --release --example {example}\n");
        assert!(PAGE.contains(&command), "{example}");
    }
}
