//! The number of threads changes nothing but the time.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use klero_cardano::{Block, Claims};

use crate::db::{Chain, Db, Repair, flip_body, flip_kes, flip_output, flip_proof};
use crate::run::{findings, report, timeless, verify};

/// Compares reports as JSON and as text, of 1, 2, 3 and 8 threads. Returns the findings.
#[track_caller]
fn same(dir: &Path, options: &str, status: i32) -> Vec<String> {
    let by = |threads: u8| {
        let options = format!("{options} --threads {threads}");
        let text = verify(dir, &options).ends(status).stdout;
        let is_timed = |line: &&str| line.contains(" proofs/s");
        let lines = text.lines().filter(|line| !is_timed(line));
        let text: Vec<String> = lines.map(str::to_owned).collect();
        (timeless(report(dir, &options, status)), text)
    };
    let one = by(1);
    for threads in [2, 3, 8] {
        assert_eq!(by(threads), one, "{threads} threads");
    }
    findings(&one.0)
}

#[test]
fn on_valid_chains() {
    let small = Chain::small();
    assert_eq!(same(&small.dir, &small.options, 0), Vec::<String>::new());
    let filled = Chain::filled();
    assert_eq!(same(&filled.dir, &filled.options, 0), Vec::<String>::new());
    if let Some(preview) = Chain::preview() {
        let found = same(&preview.dir, &preview.options, 0);
        assert_eq!(found, Vec::<String>::new());
    }
}

/// Changes one block in `step`, each in another way than the one before.
fn damage_blocks(chain: &Chain, db: &Db, step: usize) {
    let repairs = [Repair::Nothing, Repair::Crc, Repair::CrcAndHash];
    let has_claims = |block: &&Block| matches!(&block.claims, Claims::Made(_));
    let since_shelley = chain.blocks.iter().filter(has_claims);
    for (n, block) in since_shelley.step_by(step).enumerate() {
        let repair = repairs[n % 3];
        match n / 3 % 4 {
            0 => db.change_block(block, repair, flip_body(block)),
            1 => db.change_block(block, repair, flip_kes(block)),
            2 => db.change_block(block, repair, flip_proof(block, 0)),
            _ => db.change_block(block, repair, flip_output(block, 0)),
        }
    }
}

#[test]
fn on_damaged_chains() {
    let chain = Chain::small();
    let chunks = chain.chunks();
    let damaged = |damage: &dyn Fn(&Db)| {
        let db = chain.copy(chunks);
        damage(&db);
        let found = same(db.dir.path(), &chain.options, 1);
        assert!(!found.is_empty());
    };
    damaged(&|db| damage_blocks(&chain, db, 11));
    damaged(&|db| damage_blocks(&chain, db, 1));
    let filled = Chain::filled();
    let db = filled.copy(filled.chunks());
    damage_blocks(&filled, &db, 3);
    assert!(!same(db.dir.path(), &filled.options, 1).is_empty());
    damaged(&|db| {
        for extension in ["chunk", "primary", "secondary"] {
            db.remove(chunks / 2, extension);
            db.remove(chunks / 2 + 1, extension);
        }
        db.remove(1, "secondary");
        db.change(chunks - 2, "chunk", |bytes| bytes.truncate(bytes.len() - 9));
        db.change(chunks - 1, "secondary", |bytes| bytes.rotate_left(7));
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
            });
        }
    });
}

/// Chunks that cannot be read, or are something else.
#[test]
fn on_unreadable_chunks() {
    let chain = Chain::small();
    let chunks = chain.chunks();
    let db = chain.copy(chunks);
    for (chunk, extension) in [(2, "chunk"), (3, "chunk"), (5, "secondary"), (6, "primary")] {
        db.remove(chunk, extension);
        fs::create_dir(db.file(chunk, extension)).unwrap();
    }
    db.remove(chunks - 3, "chunk");
    symlink("nowhere", db.file(chunks - 3, "chunk")).unwrap();
    db.remove(chunks - 2, "chunk");
    let sparse = fs::File::create(db.file(chunks - 2, "chunk")).unwrap();
    sparse.set_len((1 << 30) + 1).unwrap();
    // Nothing is known to be wrong, but not everything was read.
    let found = same(db.dir.path(), &chain.options, 2);
    assert!(!found.is_empty());
}

#[test]
fn on_preview_with_damage() {
    let Some(mut chain) = Chain::preview() else {
        return;
    };
    let db = chain.copy(30);
    chain.blocks.retain(|block| block.chunk < 30);
    damage_blocks(&chain, &db, 97);
    assert!(!same(db.dir.path(), &chain.options, 1).is_empty());
}
