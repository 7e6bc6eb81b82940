//! Nonces in doubt: what known ones say, and what proofs show.

use klero_audit::{Audit, Check, Outcome};
use klero_cardano::{Era, Nonce};
use klero_damage::Stored;
use klero_forge::{Entry, Recipe};

use crate::chain::{Chain, sure};
use crate::seen::run;

fn chain() -> Chain {
    Chain::of(&Recipe {
        eras: vec![(Era::Babbage, 3), (Era::Conway, 4)],
        extra_entropy: Default::default(),
        ..Recipe::sample()
    })
}

/// An audit of blocks of a network with known nonces.
fn audit<'a>(chain: &Chain, blocks: &'a [Stored], known: &[(u64, Nonce)]) -> Audit<'a> {
    let mut network = chain.network.clone();
    for (epoch, nonce) in known {
        network.set_known_nonce(*epoch, *nonce);
    }
    let blocks = blocks.iter().map(|block| sure(&block.bytes[..]));
    Audit::of_blocks(network, blocks)
}

/// Valid proofs, and those without a verdict, of each epoch.
fn counts(audit: Audit<'_>) -> Vec<(u64, u64)> {
    let (report, _) = run(audit, 2).unwrap();
    assert_eq!(report.totals.invalid, 0);
    assert_eq!(report.outcome(), Outcome::SomeInvalid);
    let counts = report.epochs.values().map(|epoch| epoch.counts);
    counts
        .map(|counts| (counts.valid, counts.unverifiable))
        .collect()
}

#[test]
fn a_given_nonce_stands_in_for_one_in_doubt() {
    let chain = chain();
    let nonce = |epoch: usize| (epoch as u64, chain.forged.epochs[epoch].nonce.unwrap());
    let proofs: Vec<u64> = chain
        .forged
        .epochs
        .iter()
        .map(|epoch| epoch.proofs)
        .collect();

    // A block is missing, so that all later nonces are wrong.
    let mut blocks = chain.blocks.clone();
    blocks.remove(5);
    let found = counts(audit(&chain, &blocks, &[nonce(3), nonce(5)]));
    let expected: Vec<(u64, u64)> = proofs
        .iter()
        .enumerate()
        .map(|(epoch, proofs)| match epoch {
            0 => (proofs - 1, 0),
            3 | 5 => (*proofs, 0),
            _ => (0, *proofs),
        })
        .collect();
    assert_eq!(found, expected);

    // A signature is changed, which changes no nonce; without proofs nothing shows that.
    let mut blocks = chain.blocks.clone();
    let entry = Entry::of(&blocks[5].bytes).unwrap();
    blocks[5].bytes[usize::from(entry.header_offset + entry.header_size) - 9] ^= 1;
    let audit = audit(&chain, &blocks, &[nonce(2)]).only([Check::Bodies]);
    let (report, _) = run(audit, 1).unwrap();
    assert!((1..4).all(|epoch| report.epochs[&epoch].nonce.is_none()));
}
