//! Valid and wrong blocks of Dijkstra, in both forms of its headers. Reading these blocks is experimental.

use klero_audit::Outcome;
use klero_cardano::{Block, Era};
use klero_damage::{Flip, Repair};
use klero_forge::{DijkstraHeaders, Recipe};

use crate::db::Chain;
use crate::run::{fails, run};

const FORMS: [DijkstraHeaders; 2] = [DijkstraHeaders::Praos, DijkstraHeaders::Leios];

fn recipe(dijkstra: DijkstraHeaders) -> Recipe {
    Recipe {
        dijkstra,
        body_bytes: 500,
        ..Recipe::of_eras(&[(Era::Babbage, 1), (Era::Conway, 1), (Era::Dijkstra, 3)])
    }
}

/// A block of Dijkstra that feeds the nonces and is not in the newest chunk.
fn middle(chain: &Chain) -> &Block {
    chain.find(|block| block.place.era == Era::Dijkstra && block.epoch == 3 && block.in_window)
}

#[test]
fn both_forms_are_valid_and_experimental() {
    for form in FORMS {
        let chain = Chain::forged(&recipe(form));
        let place = tempfile::tempdir().unwrap();
        let state = place.path().join("state");
        let copy = chain.copy();
        let audit = chain.audit(&copy).state(&state).unwrap();
        let ran = run(audit, Outcome::NotAllChecked);
        assert_eq!(ran.findings(), Vec::<String>::new());
        assert!(ran.report.is_experimental());
        let (totals, blocks) = (ran.totals(), chain.blocks.len() as u64);
        assert_eq!((totals.blocks, totals.valid), (blocks, totals.proofs));
        for checked in [totals.kes, totals.certificates, totals.bodies] {
            assert_eq!((checked.valid, checked.not_judged), (blocks, 0));
        }
        // Without new blocks, the report is still experimental, because its tip is of Dijkstra.
        let after = ran.report.state.unwrap().after.unwrap();
        let part = chain.part(0..after.slot / chain.network.chunk_size() + 1);
        let audit = chain.audit(&part).state(&state).unwrap();
        let ran = run(audit, Outcome::NotAllChecked);
        assert!(ran.totals().blocks == 0 && ran.report.is_experimental());
    }
}

#[test]
fn a_chain_without_a_block_of_it_is_all_valid() {
    let chain = Chain::forged(&Recipe {
        silent: [4, 5].into(),
        ..Recipe::of_eras(&[(Era::Babbage, 1), (Era::Conway, 3), (Era::Dijkstra, 2)])
    });
    assert_eq!(chain.network.era_starts().dijkstra, Some(4));
    let copy = chain.copy();
    let ran = run(chain.audit(&copy), Outcome::AllValid);
    assert!(!ran.report.is_experimental());
}

#[test]
fn wrong_blocks_of_it_are_found() {
    for form in FORMS {
        let chain = Chain::forged(&recipe(form));
        let block = middle(&chain);
        let slot = block.place.slot;

        let copy = chain.copy();
        copy.flip(block, Flip::Proof(0), Repair::CrcAndHash)
            .unwrap();
        let ran = fails(chain.audit(&copy));
        let proof = format!("praos at {slot}: ");
        let findings = ran.findings();
        assert!(
            findings.iter().any(|line| line.starts_with(&proof)),
            "{findings:?}"
        );
        assert!(ran.report.is_experimental());

        // The last part of the body is changed.
        let copy = chain.copy();
        let last = |bytes: &mut [u8]| *bytes.last_mut().unwrap() = 0xf7;
        copy.change_block(block, Repair::Crc, last).unwrap();
        assert_eq!(
            fails(chain.audit(&copy)).findings(),
            [format!("body-hash at {slot}")]
        );
    }
}

/// An incomplete block at the end of the newest chunk counts as a block that the node is writing, wherever it
/// is cut off.
#[test]
fn half_written_blocks() {
    for form in FORMS {
        let chain = Chain::forged(&recipe(form));
        let chunk = chain.blocks.last().unwrap().chunk;
        let in_chunk = chain.in_chunk(chunk);
        let [.., next] = in_chunk[..] else { panic!() };
        let original = chain.bytes(next).unwrap();
        for bytes in [1, 3, 100, 700, 860, 900, original.len() - 1] {
            let copy = chain.copy();
            copy.open_chunk(&chain, chunk, in_chunk.len() - 1);
            let begin = |chunk: &mut Vec<u8>| chunk.extend(&original[..bytes]);
            copy.change(chunk, "chunk", begin).unwrap();
            let ran = run(chain.audit(&copy), Outcome::NotAllChecked);
            let note = format!("note: half-written in chunk {chunk}");
            assert_eq!(ran.findings(), [note], "{bytes}");
        }
    }
}
