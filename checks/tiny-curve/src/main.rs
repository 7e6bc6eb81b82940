//! Runs the formulas of klero-lanes on curves so small that every case can be tried: every pair of
//! points, every scalar below the order, every encoding, every exception.
//!
//! Formulas are generic over the field. Here they run over a prime of one byte, in 8 lanes, 4 and one.
//! What they return is compared with a [`model`]: a list of all points, added by the affine law.
//!
//! | file | what it has |
//! |---|---|
//! | `curve` | the curves, and the constants that formulas need of them |
//! | `field` | the field in lanes; its `tiny` says how constants of 2^255-19 become those of a curve |
//! | `stages` | the stages that sums are made of, over this field |
//! | `model` | the twin |
//! | `checks` | the checks, one for each algorithm |
//! | `faults` | wrong operations, planted in the field |
//! | `runs` | the parts of the check, each a process |
//! | `report` | all parts, and the tables that are printed |
//!
//! `cargo run --release -p klero-tiny-curve` runs what a constant or the shape of a curve can change on
//! all thirteen curves, and all algorithms on one curve of each order; `--all` everything on all of
//! them. Then it plants faults, a wrong constant or one wrong operation at a time: a check that finds
//! less than half of those planted in it is an error. It ends with 1 if anything is wrong.
//!
//! # What is left out
//! * The arithmetic of 2^255-19: products, carries, and the division steps of inversion, which are
//!   exact or not whatever the curve is. Inversion runs, and computes in 2^255-19.
//! * `encoding::y_is_canonical`, which compares bytes with 2^255-19.
//! * The hashes, and `stages`, `engine` and `detect`, which choose what runs.
//!
//! Combs add L, the order of edwards25519's base point, to an even scalar. On a tiny curve that changes
//! the multiple, and the twin adds L too. Tables and combs of the base point are made from a point that
//! generates the whole group.

mod checks;
mod curve;
mod faults;
mod field;
mod model;
mod report;
mod runs;
mod stages;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["part", number] => {
            runs::part(runs::Part::all()[number.parse::<usize>()?]);
            Ok(())
        }
        ["--all"] => report::run(true),
        [] => report::run(false),
        _ => anyhow::bail!("expected --all or nothing, not {:?}", args.join(" ")),
    }
}
