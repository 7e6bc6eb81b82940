//! Tests that read chains: the first epochs of the preview network from a real node, whole and damaged, and
//! single blocks of other networks.

mod blocks;
mod copy;
mod damage;
mod damaged_index;
mod eras;
mod examples;
mod fields;
mod lost;
mod resume;
mod signed;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use klero_cardano::{Block, Claim, Event, Immutable, Network, Start, Walk};

use crate::copy::chain;

#[derive(Default, Debug, PartialEq)]
struct Epoch {
    nonce: String,
    first_slot: u64,
    blocks: u64,
    proofs: u64,
}

/// The expected epochs, by number.
fn expected_epochs(dir: &Path) -> BTreeMap<u64, Epoch> {
    let csv = fs::read_to_string(dir.join("epochs.csv")).unwrap();
    let epochs = csv.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |n: usize| fields[n].parse::<u64>().unwrap();
        let epoch = Epoch {
            nonce: fields[1].to_owned(),
            first_slot: number(2),
            blocks: number(3),
            proofs: number(4),
        };
        (number(0), epoch)
    });
    epochs.collect()
}

/// Formats a claim like a line of the file of expected proofs.
fn row(block: &Block, claim: &Claim) -> String {
    let row = [
        block.place.slot.to_string(),
        claim.kind.to_string(),
        hex::encode(claim.key),
        hex::encode(claim.alpha),
        hex::encode(claim.proof),
        hex::encode(claim.output),
    ];
    row.join(",")
}

#[test]
fn every_claim_from_genesis() {
    let Some(dir) = chain() else { return };
    let proofs = fs::File::open(dir.join("proofs.csv.gz")).unwrap();
    let mut proofs = BufReader::new(flate2::read::GzDecoder::new(proofs)).lines();
    assert_eq!(
        proofs.next().unwrap().unwrap(),
        "slot,kind,vkey_hex,alpha_hex,proof_hex,output_hex"
    );

    let mut epochs: BTreeMap<u64, Epoch> = BTreeMap::new();
    let mut leads: BTreeMap<String, u64> = BTreeMap::new();
    let db = Immutable::open(&dir).unwrap();
    let walk = Walk::new(&db, Network::preview(), Start::Genesis).unwrap();
    let (ahead, mut read) = (walk.bytes(), 0);
    for event in walk {
        let Event::Block(block) = event else {
            panic!("{event:?}")
        };
        read += block.size;
        let nonces = block.nonces.as_ref().unwrap();
        assert_eq!(nonces.epoch, block.epoch);
        assert!(block.linked && block.nonce == Some(nonces.eta0));
        let epoch = epochs.entry(block.epoch).or_insert_with(|| Epoch {
            nonce: nonces.eta0.to_string(),
            first_slot: block.place.slot,
            ..Epoch::default()
        });
        epoch.blocks += 1;
        epoch.proofs += block.claims.len() as u64;
        *leads.entry(format!("{:?}", block.leadership)).or_default() += 1;
        for claim in &block.claims {
            assert_eq!(row(&block, claim), proofs.next().unwrap().unwrap());
        }
    }
    assert!(proofs.next().is_none());
    assert_eq!(read, ahead);

    assert_eq!(epochs, expected_epochs(&dir));
    let sum = |of: fn(&Epoch) -> u64| epochs.values().map(of).sum::<u64>();
    assert_eq!(sum(|epoch| epoch.blocks), 25_932);
    assert_eq!(sum(|epoch| epoch.proofs), 38_944);
    let expected = [("Below", 17_292), ("Delegate", 8_640)];
    let expected = expected.map(|(lead, count)| (lead.to_owned(), count));
    assert_eq!(leads, expected.into());
}

/// The number of rounds of a random test: `all`, or a tenth of `all` with debug assertions.
fn rounds(all: usize) -> usize {
    if cfg!(debug_assertions) {
        all.div_ceil(10)
    } else {
        all
    }
}
