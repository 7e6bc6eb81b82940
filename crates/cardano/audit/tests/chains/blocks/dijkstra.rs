//! Wrong blocks of Dijkstra. As in any era, audits of files and of an iterator must find the same.

use klero_audit::Outcome;
use klero_cardano::Era;
use klero_forge::{DijkstraHeaders, Mutant, Recipe};

use super::same;
use crate::db::Made;
use crate::run::fails;

fn recipe(dijkstra: DijkstraHeaders) -> Recipe {
    Recipe {
        dijkstra,
        eras: vec![(Era::Conway, 2), (Era::Dijkstra, 2)],
        ..Recipe::of_renewals()
    }
}

#[test]
fn every_mutant_is_found() {
    for form in [DijkstraHeaders::Praos, DijkstraHeaders::Leios] {
        let honest = same(&Made::of(&recipe(form)));
        assert_eq!(honest.outcome, Outcome::NotAllChecked);
        assert_eq!(honest.findings, []);
        // An epoch has about 200 blocks, so block 480 and those after it are blocks of Dijkstra.
        let mutants = (480..).step_by(17).zip(Mutant::ALL).collect();
        let seen = same(&Made::of(&Recipe {
            mutants,
            ..recipe(form)
        }));
        assert_eq!(seen.outcome, Outcome::SomeInvalid);
        let found: u64 = seen.findings.iter().map(|finding| finding.3).sum();
        assert_eq!(found, Mutant::ALL.len() as u64, "{:?}", seen.findings);
    }
}

#[test]
fn truncated_blocks_and_other_shapes_are_faults() {
    for form in [DijkstraHeaders::Praos, DijkstraHeaders::Leios] {
        let chain = Made::of(&Recipe {
            dijkstra: form,
            ..Recipe::of_eras(&[(Era::Conway, 1), (Era::Dijkstra, 1)])
        });
        let at = chain.blocks.len() - 20;
        let whole = chain.blocks[at].bytes.clone();
        let faults = |bytes: Vec<u8>| {
            let mut blocks = chain.blocks.clone();
            blocks[at].bytes = bytes;
            fails(chain.audit_of(&blocks)).found[0].to_string()
        };
        for cut in (0..whole.len()).step_by(29).chain([whole.len() - 1]) {
            let words = faults(whole[..cut].to_vec());
            assert!(words.contains(&format!("item {at}")), "{words}");
        }
        // A block with the tag of Dijkstra and the five parts of a Conway block.
        let mut parts = chain.blocks[0].bytes.clone();
        parts[1] = 8;
        let words = faults(parts);
        assert!(
            words.contains("a block of 5 parts, Dijkstra has 2"),
            "{words}"
        );
        // The body has three parts.
        let mut body = whole.clone();
        let first = body.len() - 5;
        assert_eq!(body[first..], [0x84, 0xf6, 0x80, 0xf6, 0xf6]);
        body[first] = 0x83;
        body.pop();
        let words = faults(body);
        assert!(
            words.contains("does not have the parts of its era"),
            "{words}"
        );
        // The header has 11 fields.
        let mut header = whole.clone();
        let fields = 4;
        assert!([0x8a, 0x8c].contains(&header[fields]));
        header[fields] = 0x8b;
        let words = faults(header);
        assert!(words.contains(&format!(": item {at}")), "{words}");
    }
}
