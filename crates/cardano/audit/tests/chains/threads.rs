//! Audits on different numbers of threads. In their results, only the measured times may differ.

use std::fs;
use std::os::unix::fs::symlink;

use klero_audit::{Audit, Outcome, Times};
use klero_cardano::Block;
use klero_damage::{Flip, Repair};

use crate::db::{Chain, Copy};
use crate::run::run;

/// Compares the reports and findings of audits on 1, 2, 3 and 8 threads. Returns the findings.
#[track_caller]
fn same(audit: impl Fn() -> Audit<'static> + Sync, outcome: Outcome) -> Vec<String> {
    let by = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let mut ran = pool.build().unwrap().install(|| run(audit(), outcome));
        ran.report.times = Times::default();
        (format!("{:?}", ran.report), format!("{:?}", ran.found), ran)
    };
    let one = by(1);
    for threads in [2, 3, 8] {
        let (report, found, _) = by(threads);
        assert_eq!(
            (report, found),
            (one.0.clone(), one.1.clone()),
            "{threads} threads"
        );
    }
    one.2.findings()
}

#[test]
fn on_valid_chains() {
    let chains = [Chain::small(), Chain::filled()];
    for chain in chains.into_iter().chain(Chain::preview()) {
        let copy = chain.copy();
        let found = same(|| chain.audit(&copy), Outcome::AllValid);
        assert_eq!(found, Vec::<String>::new());
    }
}

/// Damages every `step`-th block with claims. Consecutive damaged blocks are damaged in different ways.
fn damage_blocks(blocks: &[Block], db: &Copy, step: usize) {
    let repairs = [Repair::Nothing, Repair::Crc, Repair::CrcAndHash];
    let has_claims = |block: &&Block| !block.claims.is_empty();
    let since_shelley = blocks.iter().filter(has_claims);
    for (n, block) in since_shelley.step_by(step).enumerate() {
        let repair = repairs[n % 3];
        match n / 3 % 4 {
            0 => db.flip(block, Flip::Body, repair).unwrap(),
            1 => db.flip(block, Flip::Kes, repair).unwrap(),
            2 => db.flip(block, Flip::Proof(0), repair).unwrap(),
            _ => db.flip(block, Flip::Output(0), repair).unwrap(),
        }
    }
}

#[test]
fn on_damaged_chains() {
    let chain = Chain::small();
    let chunks = chain.chunks();
    let damaged = |damage: &dyn Fn(&Copy)| {
        let db = chain.copy();
        damage(&db);
        let found = same(|| chain.audit(&db), Outcome::SomeInvalid);
        assert!(!found.is_empty());
    };
    damaged(&|db| damage_blocks(&chain.blocks, db, 11));
    damaged(&|db| damage_blocks(&chain.blocks, db, 1));
    let filled = Chain::filled();
    let db = filled.copy();
    damage_blocks(&filled.blocks, &db, 3);
    assert!(!same(|| filled.audit(&db), Outcome::SomeInvalid).is_empty());
    damaged(&|db| {
        db.lose(chunks / 2);
        db.lose(chunks / 2 + 1);
        db.remove(1, "secondary").unwrap();
        db.change(chunks - 2, "chunk", |bytes| bytes.truncate(bytes.len() - 9))
            .unwrap();
        db.change(chunks - 1, "secondary", |bytes| bytes.rotate_left(7))
            .unwrap();
    });
    damaged(&|db| {
        for chunk in (0..chunks).step_by(2) {
            db.change(chunk, "chunk", |bytes| {
                let middle = bytes.len() / 2;
                bytes
                    .iter_mut()
                    .skip(middle)
                    .take(3)
                    .for_each(|byte| *byte = 0xff);
            })
            .unwrap();
        }
    });
}

/// Chunks and indexes that are directories, dead links, or too long.
#[test]
fn on_unreadable_chunks() {
    let chain = Chain::small();
    let chunks = chain.chunks();
    let db = chain.copy();
    for (chunk, extension) in [(2, "chunk"), (3, "chunk"), (5, "secondary"), (6, "primary")] {
        db.remove(chunk, extension).unwrap();
        fs::create_dir(db.file(chunk, extension)).unwrap();
    }
    db.remove(chunks - 3, "chunk").unwrap();
    symlink("nowhere", db.file(chunks - 3, "chunk")).unwrap();
    db.remove(chunks - 2, "chunk").unwrap();
    let sparse = fs::File::create(db.file(chunks - 2, "chunk")).unwrap();
    sparse.set_len((1 << 30) + 1).unwrap();
    // The audit finds nothing wrong in what it can read, but it cannot read everything.
    let found = same(|| chain.audit(&db), Outcome::NotAllRead);
    assert!(!found.is_empty());
}

#[test]
fn on_preview_with_damage() {
    let Some(chain) = Chain::preview() else {
        return;
    };
    let db = chain.part(0..30);
    let copied = chain.blocks.partition_point(|block| block.chunk < 30);
    damage_blocks(&chain.blocks[..copied], &db, 97);
    assert!(!same(|| chain.audit(&db), Outcome::SomeInvalid).is_empty());
}
