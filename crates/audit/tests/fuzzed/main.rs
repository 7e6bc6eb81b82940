//! The fuzz target `chains` of `fuzz/`, on the inputs that fuzzing kept.

mod chains;
#[path = "../../../../fuzz/memory.rs"]
mod memory;
#[path = "../../../../fuzz/seeds.rs"]
mod seeds;

/// One test, as memory is counted for the whole process.
#[test]
fn chains_of_seeds() {
    chains::prepare();
    for seed in seeds::seeds("chains") {
        // An input that ends early is read in part.
        let _ = memory::within(chains::most_memory(&seed), || chains::chains(&seed));
    }
}
