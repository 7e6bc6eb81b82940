//! On any damaged chain, the claims and the nonces that are not in doubt are right. Otherwise one
//! lost block would show as thousands of invalid proofs. The same holds if the doubt about each
//! epoch nonce that is right is ended, as valid proofs do.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use klero_cardano::{Block, Doubt, Era, Event, Hash, Immutable, Network, Severity, Start, Walk};
use klero_forge::{Recipe, forge};

fn file(dir: &Path, chunk: u64, extension: &str) -> PathBuf {
    dir.join(format!("{chunk:05}.{extension}"))
}

/// Replaces a file by a new one.
fn write(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

fn remove_index(dir: &Path, chunk: u64) {
    let _ = fs::remove_file(file(dir, chunk, "primary"));
    let _ = fs::remove_file(file(dir, chunk, "secondary"));
}

/// Damages a chunk whose blocks begin at `starts`, in a random way; may remove chunks after it.
fn harm(dir: &Path, chunk: u64, last: u64, starts: &[usize], rng: &mut Rng) -> String {
    let path = file(dir, chunk, "chunk");
    let Ok(mut bytes) = fs::read(&path) else {
        return String::new();
    };
    let n = rng.usize(..starts.len().max(1));
    let start = starts.get(n).copied().unwrap_or(0).min(bytes.len());
    let end = starts
        .get(n + 1)
        .copied()
        .unwrap_or(bytes.len())
        .min(bytes.len());
    let at = start + rng.usize(..(end - start).max(1));
    match rng.usize(..7) {
        0 => {
            let many = rng.u64(..6);
            for chunk in chunk..=(chunk + many).min(last) {
                let _ = fs::remove_file(file(dir, chunk, "chunk"));
                remove_index(dir, chunk);
            }
            return format!("{many} chunks from {chunk}");
        }
        1 => {
            bytes.clear();
            remove_index(dir, chunk);
        }
        2 => {
            bytes.drain(start..end);
            remove_index(dir, chunk);
        }
        3 => bytes.truncate(at),
        4 | 5 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.usize(..8);
            }
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.usize(..8);
            }
            remove_index(dir, chunk);
        }
    }
    write(&path, &bytes);
    format!("chunk {chunk} at {at}")
}

fn walk(dir: &Path, network: &Network) -> Option<(Vec<Block>, usize)> {
    let db = Immutable::open(dir).ok()?;
    let mut blocks = Vec::new();
    let mut faults = 0;
    for event in Walk::new(&db, network.clone(), Start::Genesis).ok()? {
        match event {
            Event::Block(block) => blocks.push(*block),
            Event::Finding(finding) => match finding.fault.severity() {
                Severity::Fault => faults += 1,
                Severity::Warning => {}
                Severity::Note => panic!("{finding}"),
            },
        }
    }
    Some((blocks, faults))
}

/// What was found of the blocks of damaged chains.
#[derive(Debug, Default)]
struct Counts {
    right: usize,
    doubtful: usize,
    /// Of the doubtful ones, those whose nonce is right.
    needless: usize,
    /// Doubts that ended because a nonce was confirmed.
    confirmed: usize,
}

impl Counts {
    /// Compares the blocks of a damaged chain with the intact ones. `confirms` says whether a right
    /// nonce ends a doubt.
    fn compare(
        &mut self,
        blocks: &[Block],
        truth: &HashMap<Hash<32>, &Block>,
        confirms: bool,
        done: &str,
    ) {
        let mut doubt = Doubt::default();
        for block in blocks {
            doubt.enter(&block.steps);
            let expected = truth.get(&block.place.hash);
            let at = format!("slot {}, {done}", block.place.slot);
            let eta0 = |block: &Block| block.nonces.as_ref().map(|nonces| nonces.eta0);
            let is_right = expected.is_some_and(|expected| eta0(block) == eta0(expected));
            if confirms && is_right && doubt.epoch_nonce().is_some() {
                doubt.confirm();
                self.confirmed += 1;
            }
            match (doubt.epoch_nonce(), expected) {
                (_, None) => {}
                (Some(since), _) => {
                    assert!(since < block.place.slot, "{at}");
                    assert!(!(confirms && is_right), "{at}");
                    self.doubtful += 1;
                    self.needless += usize::from(is_right);
                }
                (None, Some(expected)) => {
                    assert_eq!(block.claims, expected.claims, "{at}");
                    self.right += 1;
                }
            }
            doubt.fold(&block.steps);
            if let Some(expected) = expected.filter(|_| doubt.is_none()) {
                assert_eq!(block.nonces, expected.nonces, "{at}");
            }
        }
    }
}

/// Damages a chain in many ways and compares what is found with the intact one.
fn check(original: &Path, network: &Network, rounds: usize) {
    let (whole, _) = walk(original, network).unwrap();
    let truth: HashMap<_, _> = whole
        .iter()
        .map(|block| (block.place.hash, block))
        .collect();
    let last = whole.last().unwrap().chunk;
    let starts = |chunk: u64| -> Vec<usize> {
        let blocks = whole.iter().filter(|block| block.chunk == chunk);
        blocks.map(|block| block.offset as usize).collect()
    };
    let copy = tempfile::tempdir().unwrap();
    let mut counts = Counts::default();
    for round in 0..rounds {
        let mut rng = Rng::with_seed(round as u64);
        let dir = copy.path().join(round.to_string());
        fs::create_dir(&dir).unwrap();
        for entry in fs::read_dir(original).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            fs::write(dir.join(name), fs::read(&path).unwrap()).unwrap();
        }
        let mut done = Vec::new();
        for _ in 0..1 + rng.usize(..3) {
            let chunk = rng.u64(..=last);
            done.push(harm(&dir, chunk, last, &starts(chunk), &mut rng));
        }
        let found = walk(&dir, network);
        fs::remove_dir_all(&dir).unwrap();
        let Some((blocks, _)) = found else { continue };
        let done = format!("round {round}: {done:?}");
        for confirms in [false, true] {
            counts.compare(&blocks, &truth, confirms, &done);
        }
    }
    eprintln!("{counts:?}");
    assert!(counts.right > 0 && counts.doubtful > 0 && counts.confirmed > 0);
}

#[test]
fn a_forged_chain_of_every_era() {
    let dir = tempfile::tempdir().unwrap();
    let recipe = Recipe {
        k: 4,
        overlay_percent: vec![50],
        extra_entropy: [(4, [1; 32])].into(),
        silent: [6].into(),
        eras: vec![
            (Era::Byron, 3),
            (Era::Shelley, 3),
            (Era::Alonzo, 3),
            (Era::Babbage, 4),
            (Era::Conway, 5),
        ],
        ..Recipe::sample()
    };
    let forged = forge(&recipe, dir.path(), |_, _| {}).unwrap();
    check(
        &dir.path().join("immutable"),
        &forged.network,
        if cfg!(debug_assertions) { 15 } else { 150 },
    );
}
