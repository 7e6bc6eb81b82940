//! Chains that were damaged at random.

use std::iter;

use klero_audit::{Audit, Outcome};
use klero_damage::{Database, Stored};
use klero_forge::Recipe;
use tempfile::TempDir;

use super::seen::{Seen, seen};
use crate::db::Made;

/// Damages a random block, sometimes together with the next one. Blocks of Byron are left out: no hash of
/// their body is checked, so their altered bytes count as intact if the CRC-32 in the index fits them.
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
        // This changes the first fields of the header.
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

/// Makes audits with and without an index comparable. Only an index gives the slot of bytes that are not a
/// block, and shows that the block before them is intact. Without an index, doubt begins with that earlier
/// block, so more proofs can be unverifiable.
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

/// Asserts that every nonce that is not in doubt is right, and that no proof of an intact header is called
/// invalid.
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

/// Writes a database with these blocks, each in its chunk. The index entries have the offsets and CRC-32s of
/// the blocks as they are now. All other values are from before the damage.
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

/// The number of damaged copies that are made of each chain.
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

/// A damaged Byron header breaks the link of the next block, or the bytes are no longer exactly one block.
#[test]
fn random_damage_of_byron() {
    let mut random = fastrand::Rng::with_seed(17);
    let chain = Made::of(&Recipe::sample());
    for round in 0..damages() {
        let mut blocks = chain.blocks.clone();
        let at = random.usize(2..300);
        let bytes = &mut blocks[at].bytes;
        // Only the header is damaged, because the body is not checked.
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
