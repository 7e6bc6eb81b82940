//! Runs the fuzz target `tables` of `fuzz/` on the inputs that fuzzing kept.

#[path = "../../../../fuzz/seeds.rs"]
mod seeds;
#[allow(dead_code, reason = "the target uses more of it")]
mod tables;

#[test]
fn tables_of_seeds() {
    klero_command::install_hook();
    for seed in seeds::seeds("tables") {
        // An error means only that the input is too short.
        let _ = tables::tables(&seed);
    }
}
