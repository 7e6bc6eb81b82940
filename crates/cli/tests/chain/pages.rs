//! What the pages show of chains is what the command prints, and their steps work.

use std::process::Command;

use klero_cardano::Era;
use klero_forge::{Flip, Repair};

use crate::common::Place;
use crate::db::Chain;
use crate::run::verify;

/// The block of a page, between fences, that contains this.
fn block<'p>(page: &'p str, words: &str) -> &'p str {
    let mut blocks = page.split("```").skip(1).step_by(2);
    let block = blocks.find(|block| block.contains(words));
    let block = block.unwrap_or_else(|| panic!("no block has {words}"));
    // The rest of the line of the fence is the language.
    block.split_once('\n').unwrap().1
}

/// The line without what differs from run to run.
fn timeless(line: &str) -> &str {
    line.split_once(" in ").map_or(
        line,
        |(before, after)| {
            if after.ends_with(" s.") { before } else { line }
        },
    )
}

#[test]
fn the_demo_on_the_first_page() {
    let page = include_str!("../../../../README.md");
    let place = Place::new();
    let ran = place.run_where("COLUMNS", "80", "chain demo").ends(0);
    let mut printed = ran.stdout.lines();
    let shown = block(page, "All valid: ");
    assert!(shown.lines().count() > 10, "{shown}");
    for line in shown.lines().take_while(|line| *line != "…") {
        assert_eq!(printed.next().map(timeless), Some(timeless(line)));
    }
}

#[test]
fn the_steps_of_a_repair() {
    let page = include_str!("../../../../docs/checks.md");
    let chain = Chain::small();
    let block_of = chain.find(|block| block.place.era == Era::Babbage && block.in_window);
    let db = chain.copy(chain.chunks());
    db.flip(block_of, Flip::Kes, Repair::Nothing);
    let dir = db.dir.path();
    let text = verify(dir, &chain.options).ends(1).stdout;
    let chunk = format!("{:05}", block_of.chunk);
    assert!(
        text.contains(&format!("\nFirst damaged chunk: {chunk}\n")),
        "{text}"
    );
    assert!(text.contains("docs/checks.md"), "{text}");

    std::fs::write(dir.join("clean"), "").unwrap();
    let steps = block(page, "mkdir damaged").replace("00020", &chunk);
    let steps = steps.replace("/path/to/node/db", dir.to_str().unwrap());
    let ran = Command::new("sh").args(["-e", "-u", "-c", &steps]).status();
    assert!(ran.unwrap().success(), "{steps}");
    assert!(!dir.join("clean").exists());
    let text = verify(dir, &chain.options).ends(0).stdout;
    assert!(text.contains("All valid: "), "{text}");
    let before = block_of.chunk - 1;
    assert!(dir.join(format!("immutable/{before:05}.chunk")).exists());
    for moved in [block_of.chunk, chain.chunks() - 1] {
        for file in ["chunk", "primary", "secondary"] {
            assert!(dir.join(format!("damaged/{moved:05}.{file}")).exists());
        }
    }
}
