//! The inputs that fuzzing kept.

use std::path::Path;

/// The seeds of a target.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let seeds = std::fs::read_dir(all.join(target)).unwrap();
    seeds
        .map(|seed| std::fs::read(seed.unwrap().path()).unwrap())
        .collect()
}
