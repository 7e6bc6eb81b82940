//! The inputs that fuzzing kept.

use std::path::Path;

/// The seeds of a target.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    // Crates lie at different depths.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut seeds = above.map(|directory| directory.join("fuzz/seeds").join(target));
    let seeds = seeds.find_map(|seeds| std::fs::read_dir(seeds).ok());
    let seeds: Vec<_> = seeds
        .expect("a directory of seeds")
        .map(|seed| std::fs::read(seed.unwrap().path()).unwrap())
        .collect();
    assert!(!seeds.is_empty());
    seeds
}
