//! `klero sample`: a table of claims, made from a seed.
//!
//! Row i depends only on i and on the options other than `--count`. So a longer sample begins with the rows
//! of a shorter one, and rows can be made on all cores. By default there are few keys, and alphas of many
//! lengths, as in real data.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use clap::value_parser;
use klero::{Prover, SecretKey, Suite};
use klero_support::{Queue, ordered};

use crate::args::choice;
use crate::args::threads;
use crate::table::{Compression, Destination, Dialect, Format, GROUP_ROWS};
use crate::ui::error::{Error, Status};
use crate::ui::progress::Progress;

/// Write a table of claims made from a seed, as an example for `klero batch`
///
/// The same options give the same table. Anyone can compute the secret keys, so use them for nothing else.
#[derive(clap::Args)]
pub struct Args {
    /// Suite (`klero suites` lists them)
    #[arg(long, value_name = "NAME", value_parser = choice::suite())]
    suite: Suite,
    /// Number of rows
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    /// Number of keys; each row has one of them. A table of few keys is verified faster, because `klero batch
    /// verify` computes some values only once for keys that appear again (up to 3,000 keys per suite)
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = value_parser!(u32).range(1..=65_536))]
    keys: u32,
    /// Any text; another seed gives different claims
    #[arg(long, value_name = "TEXT", default_value = "klero")]
    seed: String,
    /// Fraction of rows to make invalid, by one wrong bit in the proof or the output
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0, value_parser = fraction)]
    invalid: f64,
    /// Let some alphas be empty (some data frames read these as nulls)
    #[arg(long)]
    empty_alphas: bool,
    #[command(flatten)]
    destination: Destination,
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

/// Runs `klero sample`.
pub fn run(args: &Args) -> Result<Status, Error> {
    threads::start(None)?;
    let target = args.destination.target(Format::Csv(Compression::None))?;
    let mut writer = target.create(&Dialect::default())?;
    let mut progress = Progress::start(target.is_stdout());
    let recipe = Recipe::new(args);
    let group = |start| start..args.count.min(start + GROUP_ROWS as u64);
    // The first group always exists, so that an empty sample still has columns.
    let groups = iter::successors(Some(group(0)), |rows| {
        (rows.end < args.count).then(|| group(rows.end))
    });
    let queue = Queue::new(move |rows: Range<u64>| (rows.end, recipe.rows(rows)));
    for (end, batch) in ordered(groups, queue) {
        let batch = batch.map_err(|error| Error::at("cannot make the sample", error))?;
        writer.write(&batch)?;
        progress.advance(batch.num_rows(), (end, Some(args.count)));
    }
    progress.clear();
    writer.finish()?;
    Ok(Status::AllValid)
}

/// The values from which all rows are made.
struct Recipe {
    seed: [u8; 32],
    keys: Vec<SecretKey>,
    invalid: f64,
    empty_alphas: bool,
}

impl Recipe {
    fn new(args: &Args) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("klero sample 1 seed");
        hasher.update(args.suite.name().as_bytes());
        hasher.update(&[0]);
        hasher.update(args.seed.as_bytes());
        let seed = *hasher.finalize().as_bytes();
        let key = |index: u32| {
            let bytes = index.to_le_bytes();
            let length = bytes
                .iter()
                .rposition(|byte| *byte != 0)
                .map_or(1, |last| last + 1);
            let mut hasher = blake3::Hasher::new_keyed(&seed);
            hasher.update(b"key").update(&bytes[..length]);
            SecretKey::from_seed(args.suite, hasher.finalize().as_bytes())
        };
        Self {
            seed,
            keys: (0..args.keys).map(key).collect(),
            invalid: args.invalid,
            empty_alphas: args.empty_alphas,
        }
    }

    fn rows(&self, rows: std::ops::Range<u64>) -> Result<RecordBatch, ArrowError> {
        const COLUMNS: [&str; 4] = ["key", "alpha", "proof", "output"];
        let draws: Vec<_> = rows.map(|row| self.draw(row)).collect();
        let requests: Vec<_> = draws
            .iter()
            .map(|draw| (draw.key, draw.alpha.as_slice()))
            .collect();
        let proved = Prover::new().prove_many(&requests);
        let mut columns: [BinaryBuilder; 4] = Default::default();
        for (draw, (proof, output)) in draws.iter().zip(proved) {
            let (mut proof, mut output) = (proof.as_bytes().to_vec(), output.as_bytes().to_vec());
            draw.damage.apply(&mut proof, &mut output);
            let key = draw.key.public_key().as_bytes();
            let claim: [&[u8]; 4] = [key, &draw.alpha, &proof, &output];
            for (column, value) in columns.iter_mut().zip(claim) {
                column.append_value(value);
            }
        }
        let arrays = columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
        RecordBatch::try_from_iter(COLUMNS.into_iter().zip(arrays))
    }

    /// Draws the values of a row.
    fn draw(&self, row: u64) -> Draw<'_> {
        let mut hasher = blake3::Hasher::new_keyed(&self.seed);
        hasher.update(b"row").update(&row.to_le_bytes());
        let mut random = hasher.finalize_xof();
        let mut draw = || {
            let mut bytes = [0; 8];
            random.fill(&mut bytes);
            u64::from_le_bytes(bytes)
        };
        let key = &self.keys[(draw() % self.keys.len() as u64) as usize];
        let length = match draw() % 4 {
            0 => draw() % 17,
            1 => draw() % 301,
            _ => 32,
        };
        let broken = (draw() as f64) < self.invalid * 2f64.powi(64);
        let (in_proof, bit) = (draw() % 2 == 0, draw());
        let damage = match (broken, in_proof) {
            (false, _) => Damage::None,
            (true, true) => Damage::Proof(bit),
            (true, false) => Damage::Output(bit),
        };
        let mut alpha = vec![0; length.max(u64::from(!self.empty_alphas)) as usize];
        random.fill(&mut alpha);
        Draw { key, alpha, damage }
    }
}

/// The values from which one row is made.
struct Draw<'a> {
    key: &'a SecretKey,
    alpha: Vec<u8>,
    damage: Damage,
}

/// The wrong bit of a row, if any: a number, to be reduced modulo the number of bits of the proof or output.
enum Damage {
    None,
    Proof(u64),
    Output(u64),
}

impl Damage {
    fn apply(&self, proof: &mut [u8], output: &mut [u8]) {
        let (bytes, bit) = match self {
            Self::None => return,
            Self::Proof(bit) => (proof, bit),
            Self::Output(bit) => (output, bit),
        };
        let bit = (bit % (8 * bytes.len() as u64)) as usize;
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}
