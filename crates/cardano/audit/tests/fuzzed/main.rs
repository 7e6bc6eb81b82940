//! Runs the fuzz target `chains` of `fuzz/` on the inputs that fuzzing kept.

mod chains;
#[path = "../../../../../fuzz/memory.rs"]
mod memory;
#[path = "../../../../../fuzz/seeds.rs"]
mod seeds;

/// There is only one test, because memory is counted for the whole process.
#[test]
fn chains_of_seeds() {
    chains::prepare();
    for seed in seeds::seeds("chains") {
        // An input may be too short for what its first bytes demand. This error is ignored.
        let _ = memory::within(chains::most_memory(&seed), || chains::chains(&seed));
    }
}
