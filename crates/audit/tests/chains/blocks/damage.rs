//! Chains that were damaged at random.

use std::iter;

use klero_audit::{Audit, Outcome};
use klero_damage::{Database, Stored};
use klero_forge::Recipe;
use tempfile::TempDir;

use super::seen::{Seen, seen};
use crate::db::Made;

/// Damages a block after Byron, or two of one chunk. Blocks of Byron have no hash of their body, so there the
/// index of files could vouch for any bytes.
fn damage(random: &mut fastrand::Rng, blocks: &mut Vec<Stored>) {
    let byron = blocks.iter().filter(|block| block.bytes[1] < 2).count();
    let at = random.usize(byron..blocks.len() - 1);
    let after = blocks[at + 1].clone();
    let one_chunk = blocks[at].chunk == after.chunk;
    let bytes = &mut blocks[at].bytes;
    let byte = random.usize(..bytes.len());
    match random.u8(..13) {
        0..3 => bytes[byte] ^= 1 << random.u8(..8),
        3 => bytes[byte] = random.u8(..),
        // In the first fields of the header.
        4 => bytes[random.usize(..20)] ^= 1 << random.u8(..8),
        5 => bytes.truncate(byte.max(1)),
        6 => bytes.extend(iter::repeat_with(|| random.u8(..)).take(9)),
        7 => bytes.fill_with(|| random.u8(..)),
        8 => bytes[1] = random.u8(2..10),
        9 => {
            bytes.extend(after.bytes);
            blocks.remove(at + 1);
        }
        10 => drop(blocks.remove(at)),
        11 => {
            let twice = blocks[at].clone();
            blocks.insert(at, twice);
        }
        _ if one_chunk => blocks.swap(at, at + 1),
        _ => {}
    }
}

/// Removes what only an index tells: the slot of bytes that are no block, and that the block before them is
/// intact. Without an index, doubt begins with that block, and can affect more proofs.
fn without_index(mut seen: Seen) -> Seen {
    let lost = seen.found.contains_key("unreadable");
    for epoch in seen.epochs.values_mut() {
        epoch.unverifiable_since = epoch.unverifiable_since.map(|_| 0);
        if lost {
            (epoch.nonce, epoch.unverifiable_since) = (None, None);
            epoch.counts.valid += std::mem::take(&mut epoch.counts.unverifiable);
        }
    }
    for (name, first, last, _) in &mut seen.findings {
        if name == "unreadable" {
            (*first, *last) = Default::default();
        }
    }
    seen
}

/// Asserts that nonces not in doubt are right, and no proof of an intact header is called invalid.
fn is_right(chain: &Made, seen: &Seen) {
    for (number, epoch) in &seen.epochs {
        let forged = chain.forged.epochs.get(*number as usize);
        if let (Some(nonce), Some(forged)) = (epoch.nonce, forged) {
            assert_eq!(Some(nonce), forged.nonce, "epoch {number}");
        }
    }
    for (name, first, last, _) in &seen.findings {
        if name == "invalid-proof" {
            let hashes = chain
                .blocks
                .iter()
                .map(|block| block.entry.hash.to_string());
            for hash in hashes {
                assert!(
                    !first.contains(&hash) && !last.contains(&hash),
                    "{first} {last}"
                );
            }
        }
    }
}

/// The number of valid proofs.
fn valid(seen: &Seen) -> u64 {
    let epochs = seen.epochs.values();
    epochs.map(|epoch| epoch.counts.valid).sum()
}

/// Files of these blocks, each in its chunk, and indexes with their places and CRC-32s, but otherwise as
/// before the damage.
fn write(blocks: &[Stored]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::at(dir.path());
    for chunk in 0..=blocks.last().unwrap().chunk {
        let in_chunk = blocks.iter().filter(|block| block.chunk == chunk);
        let in_chunk: Vec<Stored> = in_chunk.cloned().collect();
        database.store(chunk, &in_chunk).unwrap();
    }
    dir
}

/// The number of damaged copies of a chain.
fn damages() -> usize {
    match std::env::var("KLERO_TEST_DAMAGES") {
        Ok(count) => count.parse().expect("KLERO_TEST_DAMAGES is a number"),
        Err(_) => 8,
    }
}

#[test]
fn random_damage_is_the_same_in_files() {
    let mut random = fastrand::Rng::with_seed(16);
    for chain in [Recipe::sample(), Recipe::of_renewals()].map(|recipe| Made::of(&recipe)) {
        for round in 0..damages() {
            let mut blocks = chain.blocks.clone();
            for _ in 0..random.u8(1..4) {
                damage(&mut random, &mut blocks);
            }
            let dir = write(&blocks);
            let files = Audit::new(dir.path()).unwrap();
            let files = seen(files.network(chain.forged.network.clone()), 2);
            let given = seen(chain.audit_of(&blocks), 1 + round % 3);
            if let (Ok(files), Ok(given)) = (&files, &given) {
                assert!(valid(given) <= valid(files), "round {round}");
                is_right(&chain, files);
                is_right(&chain, given);
            }
            let (files, given) = (files.map(without_index), given.map(without_index));
            assert_eq!(given, files, "round {round}");
        }
    }
}

/// Damage of Byron is found by the links, or where a block does not end with its bytes.
#[test]
fn random_damage_of_byron() {
    let mut random = fastrand::Rng::with_seed(17);
    let chain = Made::of(&Recipe::sample());
    for round in 0..damages() {
        let mut blocks = chain.blocks.clone();
        let at = random.usize(2..300);
        let bytes = &mut blocks[at].bytes;
        // The header alone: a body is not checked.
        let byte = random.usize(..200);
        bytes[byte] ^= 1 << random.u8(..8);
        let seen = seen(chain.audit_of(&blocks), 1 + round % 3).unwrap();
        assert_eq!(
            seen.outcome,
            Outcome::SomeInvalid,
            "block {at}, byte {byte}"
        );
    }
}
