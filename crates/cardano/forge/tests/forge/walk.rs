//! Tests that walks along forged chains find the forged content.

use std::collections::BTreeMap;

use klero::{Suite, Verifier};
use klero_cardano::{
    Block, Era, EraStarts, Event, Finding, Immutable, LastBlock, Leadership, Network, Severity,
    Start, Walk,
};
use klero_forge::{ForgedEpoch, Recipe};
use tempfile::TempDir;

use crate::checks::{Chain, make, small};

/// The blocks, the faults and the number of warnings of a walk.
#[derive(Default)]
pub struct Walked {
    pub blocks: Vec<Block>,
    pub faults: Vec<Finding>,
    pub warnings: usize,
}

pub fn walk(dir: &TempDir, network: &Network, start: Start) -> Walked {
    let db = Immutable::open(dir.path()).unwrap();
    let mut walked = Walked::default();
    for event in Walk::new(&db, network.clone(), start).unwrap() {
        match event {
            Event::Block(block) => walked.blocks.push(*block),
            Event::Finding(finding) => match finding.fault.severity() {
                Severity::Fault => walked.faults.push(*finding),
                Severity::Warning => walked.warnings += 1,
                Severity::Note => panic!("{finding}"),
            },
        }
    }
    walked
}

/// The numbers of valid and invalid claims of a block.
fn verify(block: &Block) -> (u64, u64) {
    let valid = block
        .claims
        .iter()
        .filter(|claim| {
            Verifier::new(Suite::PRAOS)
                .verify(&claim.as_claim())
                .is_ok()
        })
        .count();
    (valid as u64, (block.claims.len() - valid) as u64)
}

/// Checks that a walk from genesis finds the forged blocks, nonces, overlay and proofs of every epoch.
pub fn check_walk(chain: &Chain) {
    let walked = walk(&chain.dir, &chain.forged.network, Start::Genesis);
    assert_eq!((walked.faults, walked.warnings), (vec![], 0));
    let mut found: BTreeMap<u64, ForgedEpoch> = chain
        .forged
        .epochs
        .iter()
        .map(|epoch| {
            let mut blank = epoch.clone();
            (blank.blocks, blank.boundary_blocks, blank.overlay_blocks) = (0, 0, 0);
            (blank.proofs, blank.nonce) = (0, None);
            (epoch.epoch, blank)
        })
        .collect();
    for block in &walked.blocks {
        let epoch = found.get_mut(&block.epoch).unwrap();
        assert_eq!(block.place.era, epoch.era);
        assert!(block.linked, "slot {}", block.place.slot);
        epoch.blocks += 1;
        epoch.boundary_blocks += u64::from(block.place.boundary);
        epoch.overlay_blocks += u64::from(block.leadership == Leadership::Delegate);
        assert!(!matches!(
            block.leadership,
            Leadership::AtOrAbove | Leadership::NotMade
        ));
        let (valid, invalid) = verify(block);
        assert_eq!(invalid, 0, "slot {}", block.place.slot);
        epoch.proofs += valid;
        if block.place.era > Era::Byron {
            epoch.nonce = block.nonces.as_ref().map(|nonces| nonces.eta0);
        }
    }
    assert_eq!(found.into_values().collect::<Vec<_>>(), chain.forged.epochs);
    let last = walked.blocks.last().unwrap();
    assert_eq!(Some(LastBlock::from(&last.place)), chain.forged.tip);
    assert_eq!(last.nonces.as_ref(), Some(&chain.forged.nonces));
}

/// A chain with blocks of all three protocols, an overlay, extra entropy and a silent epoch.
pub fn rich() -> Chain {
    make(Recipe {
        overlay_percent: vec![60],
        extra_entropy: BTreeMap::from([(2, [3; 32])]),
        silent: [5].into(),
        ..small(&[
            (Era::Byron, 2),
            (Era::Shelley, 1),
            (Era::Alonzo, 1),
            (Era::Babbage, 2),
            (Era::Conway, 2),
        ])
    })
}

#[test]
fn the_era_comes_from_the_blocks() {
    // No era start after Shelley's is known, so the eras of the blocks must decide the stability windows.
    let chain = rich();
    let genesis = std::fs::read(chain.dir.path().join("shelley-genesis.json")).unwrap();
    let starts = EraStarts {
        shelley: 2,
        ..EraStarts::default()
    };
    let mut network = Network::from_shelley_genesis("forged", &genesis, starts).unwrap();
    let extra = chain.forged.network.extra_entropy(2);
    network.set_extra_entropy(2, extra);
    let walked = walk(&chain.dir, &network, Start::Genesis);
    assert_eq!(walked.faults, []);
    assert!(walked.blocks.iter().all(|block| verify(block).1 == 0));
    assert_eq!(
        walked.blocks.last().unwrap().nonces.as_ref(),
        Some(&chain.forged.nonces)
    );
}
