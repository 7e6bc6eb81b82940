//! `klero sample`: a table of claims of any length from a seed.
//!
//! Row i is a function of the seed, the suite and i alone, so that a longer sample
//! begins with the shorter one and rows can be made on all cores. Some keys come
//! again and again, and alphas have many lengths, as in real data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use klero::{SecretKey, Suite};

use crate::error::{Error, Status};
use crate::pipeline;
use crate::progress::Progress;
use crate::table::{self, Format, GROUP_ROWS};

/// Different keys in a sample.
const KEYS: u8 = 32;

/// Write a table of claims made from a seed, to try `klero batch` on
///
/// The same seed, suite and count give the same table. The keys are anybody's:
/// use them for nothing else.
#[derive(clap::Args)]
pub struct Args {
    /// Suite (`klero suites` lists them)
    #[arg(long, value_name = "NAME", default_value = "praos")]
    suite: Suite,
    /// Number of rows
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
    /// Any text; another seed gives other claims
    #[arg(long, value_name = "TEXT", default_value = "klero")]
    seed: String,
    /// Share of rows to make invalid, by one wrong bit in the proof or the output
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0, value_parser = fraction)]
    invalid: f64,
    /// Table to write, in the format of its name; - for standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Format, if the name of the table does not say it
    #[arg(long, value_enum)]
    format: Option<Format>,
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let out = Some(args.out.as_path()).filter(|path| *path != Path::new("-"));
    let format = args
        .format
        .or_else(|| out.and_then(Format::of))
        .unwrap_or(Format::Csv);
    let mut writer = table::create(out, format)?;
    let mut progress = Progress::start(out.is_none());
    let recipe = Recipe::new(args);
    let mut next = Some(0);
    pipeline::ordered(
        || {
            // An empty sample still has its columns: the first group always exists.
            let Some(start) = next else { return Ok(None) };
            let end = args.count.min(start + GROUP_ROWS as u64);
            next = Some(end).filter(|end| *end < args.count);
            Ok(Some(start..end))
        },
        |rows| (rows.end, recipe.rows(rows)),
        |(end, batch)| {
            let batch = batch.map_err(|error| Error::at("cannot make the sample", error))?;
            writer.write(&batch)?;
            progress.advance(batch.num_rows(), (end, Some(args.count)));
            Ok(())
        },
    )?;
    writer.finish()?;
    Ok(Status::AllValid)
}

/// What every row is made from.
struct Recipe {
    seed: [u8; 32],
    keys: Vec<SecretKey>,
    invalid: f64,
}

impl Recipe {
    fn new(args: &Args) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("klero sample 1 seed");
        hasher.update(args.suite.name().as_bytes());
        hasher.update(&[0]);
        hasher.update(args.seed.as_bytes());
        let seed = *hasher.finalize().as_bytes();
        let key = |index: u8| {
            let mut hasher = blake3::Hasher::new_keyed(&seed);
            hasher.update(b"key").update(&[index]);
            SecretKey::from_seed(args.suite, hasher.finalize().as_bytes())
        };
        Self {
            seed,
            keys: (0..KEYS).map(key).collect(),
            invalid: args.invalid,
        }
    }

    fn rows(&self, rows: std::ops::Range<u64>) -> Result<RecordBatch, arrow_schema::ArrowError> {
        const COLUMNS: [&str; 4] = ["key", "alpha", "proof", "output"];
        let mut columns: [BinaryBuilder; 4] = Default::default();
        for row in rows {
            let claim = self.row(row);
            for (column, value) in columns.iter_mut().zip(claim) {
                column.append_value(value);
            }
        }
        let arrays = columns.map(|mut column| Arc::new(column.finish()) as ArrayRef);
        RecordBatch::try_from_iter(COLUMNS.into_iter().zip(arrays))
    }

    /// Key, alpha, proof and output of a row.
    fn row(&self, row: u64) -> [Vec<u8>; 4] {
        let mut hasher = blake3::Hasher::new_keyed(&self.seed);
        hasher.update(b"row").update(&row.to_le_bytes());
        let mut random = hasher.finalize_xof();
        let mut draw = || {
            let mut bytes = [0; 8];
            random.fill(&mut bytes);
            u64::from_le_bytes(bytes)
        };
        let key = &self.keys[(draw() % u64::from(KEYS)) as usize];
        let length = match draw() % 4 {
            0 => draw() % 17,
            1 => draw() % 301,
            _ => 32,
        };
        let broken = (draw() as f64) < self.invalid * 2f64.powi(64);
        let (in_proof, bit) = (draw() % 2 == 0, draw());
        let mut alpha = vec![0; length as usize];
        random.fill(&mut alpha);

        let (proof, output) = key.prove(&alpha);
        let (mut proof, mut output) = (proof.as_bytes().to_vec(), output.as_bytes().to_vec());
        if broken {
            let bytes = if in_proof { &mut proof } else { &mut output };
            let bit = (bit % (8 * bytes.len() as u64)) as usize;
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        [key.public_key().as_bytes().to_vec(), alpha, proof, output]
    }
}
