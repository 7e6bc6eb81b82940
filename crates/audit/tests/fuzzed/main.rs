//! The fuzz target `chains` of `fuzz/`, on the inputs that fuzzing kept.

mod chains;
#[path = "../../../../fuzz/memory.rs"]
mod memory;

/// One test, as memory is counted for the whole process.
#[test]
fn chains_of_seeds() {
    chains::prepare();
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/chains");
    for seed in std::fs::read_dir(seeds).unwrap() {
        let seed = std::fs::read(seed.unwrap().path()).unwrap();
        // One that ends early reads less.
        let _ = memory::within(chains::most_memory(&seed), || chains::chains(&seed));
    }
}
