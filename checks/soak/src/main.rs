//! Checks verdicts on random inputs, slice by slice, and keeps a record.
//!
//! A slice is a number: it seeds the inputs, so that it can be repeated. Slices that the record
//! has are not run again; every other run goes on where the last one ended.
//!
//! | kind | a slice is | what must hold |
//! |---|---|---|
//! | `oracle` | 20,000 claims of one suite | every backend gives the verdict of an oracle on curve25519-dalek |
//! | `backends` | 200,000 claims of one suite | all backends give the same verdicts, with keys kept or not, any weights, and one or two threads; `portable`, which is slow, takes one group in ten |
//! | `headers` | 1,000 headers of one era | each breaks the rule that it was made to break, or none, alone and in batches, on a backend that is drawn; the readable model takes one in 20 |
//! | `damage` | 10 damaged copies of a node's database | an audit ends, without new proofs or lost ones that it does not report |
//!
//! Claims are honest, spoiled and forged, in groups of 1 to 2,200. The suites take turns.

mod claims;
mod damage;
mod forged;
mod record;
// The library's judge of headers in the tests of `klero-audit`.
#[path = "../../../crates/cardano/audit/tests/header_vectors/library.rs"]
mod library;
// The claims and the oracle of the tests of `klero`.
#[path = "../../../crates/vrf/klero/tests/support/mod.rs"]
mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use damage::Database;
use record::Record;

/// What is checked.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Claims against an oracle, on every backend.
    Oracle,
    /// Claims on every backend, without an oracle.
    Backends,
    /// Headers that break one rule, or none.
    Headers,
    /// Damaged copies of a node's database.
    Damage,
}

/// Checks verdicts on random inputs, slice by slice, and keeps a record of them.
#[derive(Parser)]
struct Args {
    kind: Kind,
    /// How many slices to run.
    #[arg(long, default_value_t = 14)]
    slices: u64,
    /// The record, a CSV file: what it has is not run again, and slices at a new commit get a line.
    #[arg(long, default_value = "soak.csv")]
    record: PathBuf,
    /// The database to damage.
    #[arg(long, required_if_eq("kind", "damage"))]
    database: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let kind = args.kind.to_possible_value().context("no kind")?;
    let mut record = Record::open(&args.record, kind.get_name())?;
    let style = "{bar:40} {pos} of {len} slices, {eta} left";
    let bar = ProgressBar::new(args.slices).with_style(ProgressStyle::with_template(style)?);
    let run: Box<dyn Fn(u64) -> anyhow::Result<u64>> = match (args.kind, args.database) {
        (Kind::Oracle, _) => Box::new(|number| Ok(claims::by_the_oracle(number))),
        (Kind::Backends, _) => Box::new(|number| Ok(claims::by_each_backend(number))),
        (Kind::Headers, _) => Box::new(forged::headers),
        (Kind::Damage, dir) => {
            let database = Database::open(&dir.context("--database is missing")?)?;
            Box::new(move |number| damage::copies(number, &database))
        }
    };
    for _ in 0..args.slices {
        let number = record.next();
        let begin = klero_measure::process_seconds();
        // A check that fails panics, as in a test, and says what the input was. The run ends then.
        let Ok(inputs) = catch_unwind(AssertUnwindSafe(|| run(number))) else {
            bail!("slice {number} of {} failed; see above", kind.get_name());
        };
        record.add(number, inputs?, klero_measure::process_seconds() - begin)?;
        bar.inc(1);
    }
    bar.finish();
    println!("{}", record.summary());
    Ok(())
}
