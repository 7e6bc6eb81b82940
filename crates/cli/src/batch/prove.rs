//! `klero batch prove`: a proof for every row.
//!
//! One secret key for all rows is wiped when it is done with. Seeds in a column
//! pass through the readers of tables, which wipe nothing and decode hex in variable
//! time; only the bytes decoded here are wiped. Seeds are never written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use klero::{Output, Proof, SecretKey, Suite, prove_many};
use zeroize::Zeroizing;

use super::cells::{self, Cells, Encoding};
use super::row_suites::{self, RowSuites, by_suite};
use super::{Done, FORMATS, Files};
use crate::error::{Error, Status};
use crate::input::{self, Source};
use crate::keyfile;
use crate::table::Group;

/// Prove every row of a table and write it with proofs
///
/// Columns read:
///   alpha    the input of the VRF
///   seed     the 32-byte secret seed of the row's key, if there is no --key
///   suite    the suite of the row, if there is no --suite
///
/// Columns written, in place of any that have these names:
///   key      the public key
///   proof    the proof
///   output   the output
///   verdict  `valid`, or `invalid: reason` for a row that cannot be read
///
/// The column seed is secret and is not written. A row that cannot be cut into columns
/// may have its seed in another one: of such a row only the verdict is written.
///
/// A seed has one suite. If a column suite names the suites, about 80 bytes of memory are
/// kept for each different seed to check that.
#[derive(clap::Args)]
#[command(after_help = FORMATS, verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    files: Files,
    /// Signing key for all rows: file, or - for standard input (text envelope, hex
    /// or bytes)
    #[arg(long, value_name = "FILE|-")]
    key: Option<String>,
    /// Use the key in --suite even if its file names another suite. Proving the same alpha in
    /// two suites can reveal the key
    #[arg(long, requires_all = ["key", "suite"])]
    dangerously_reuse_key: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let source = args.key.as_deref().map(Source::from);
    input::one_stdin(&[
        ("FILE", matches!(args.files.source(), Source::Stdin)),
        ("--key", matches!(source, Some(Source::Stdin))),
    ])?;
    if let Some(Source::File(key)) = &source
        && args.files.destination.is(key)
    {
        return Err(Error::at(
            "--out",
            "names the file of the key, which would be lost: expected another file",
        ));
    }
    let given = args.files.suite;
    let key = source
        .as_ref()
        .map(|source| keyfile::read_secret(source, given, args.dangerously_reuse_key))
        .transpose()?;
    let prover = Prover {
        suite: key.as_ref().map(SecretKey::suite).or(given),
        key,
        seeds: Mutex::default(),
    };
    args.files.process(
        |schema| {
            let required: &[&str] = if prover.key.is_some() {
                &["alpha"]
            } else {
                &["alpha", "seed"]
            };
            cells::check_columns(schema, required, &["suite"])?;
            row_suites::check(schema, prover.suite)
        },
        |group| prover.prove(group),
    )
}

/// What all groups of a table are proved with.
struct Prover {
    /// The suite of all rows: that of `--key`, or `--suite`.
    suite: Option<Suite>,
    /// `--key`.
    key: Option<SecretKey>,
    /// The suite of each seed so far, by its public key, and the row that said it. Kept
    /// only while rows can differ in it.
    seeds: Mutex<HashMap<[u8; 32], (Suite, u64)>>,
}

/// What a row is proved from.
struct Row<'a> {
    key: Cow<'a, SecretKey>,
    alpha: Cow<'a, [u8]>,
}

impl Prover {
    fn prove(&self, mut group: Group) -> Result<Done, String> {
        if self.key.is_none() && !group.faults.is_empty() {
            // The seed of such a row may stand in any column.
            group.batch = cells::without_rows(&group.batch, group.faults.keys().copied())
                .map_err(|error| format!("rows from {}: {error}", group.first_row))?;
        }
        let batch = &group.batch;
        if self.key.is_some() && batch.column_by_name("seed").is_some() {
            return Err(
                "there is a column \"seed\" and --key was given: expected one of them".into(),
            );
        }
        let suites = RowSuites::of(batch, self.suite);
        let (alpha, seed) = (Cells::of(batch, "alpha"), Cells::of(batch, "seed"));
        let row = |row| -> Result<Row<'_>, String> {
            if let Some(fault) = group.faults.get(&row) {
                return Err(fault.clone());
            }
            let suite = suites.get(row)?;
            let key = match &self.key {
                Some(key) => Cow::Borrowed(key),
                None => Cow::Owned(row_key(suite, &seed, row)?),
            };
            let alpha = alpha.require(row)?;
            Ok(Row { key, alpha })
        };
        let rows: Vec<_> = (0..batch.num_rows()).map(row).collect();
        if self.suite.is_none() && batch.column_by_name("suite").is_some() {
            self.check_seeds(group.first_row, &rows)?;
        }
        let proved = prove_all(&rows)?;

        let encoding = batch
            .schema()
            .field_with_name("alpha")
            .ok()
            .and_then(Encoding::of)
            .unwrap_or(Encoding::Hex);
        let keys = rows
            .iter()
            .map(|row| row.as_ref().ok().map(|row| row.key.public_key()));
        let proofs = || proved.iter().map(Option::as_ref);
        let columns = vec![
            cells::column("key", encoding, keys),
            cells::column(
                "proof",
                encoding,
                proofs().map(|row| row.map(|(proof, _)| proof)),
            ),
            cells::column(
                "output",
                encoding,
                proofs().map(|row| row.map(|(_, output)| output)),
            ),
        ];
        let reasons = rows.iter().map(|row| row.as_ref().err());
        Done::new(&group, columns, Some("seed"), reasons)
    }

    /// Refuses a seed that is used with two suites: they can share a nonce and hash
    /// different challenges, and two such proofs give the key away.
    fn check_seeds(&self, first_row: u64, rows: &[Result<Row<'_>, String>]) -> Result<(), String> {
        let mut seeds = self.seeds.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, row) in (first_row..).zip(rows) {
            let Ok(Row { key, .. }) = row else {
                continue;
            };
            let suite = key.suite();
            let &mut (known, before) = seeds
                .entry(*key.public_key().as_bytes())
                .or_insert((suite, number));
            if known != suite {
                return Err(format!(
                    "rows {before} and {number} use one seed with two suites ({known}, {suite}): \
                     proofs in two suites can reveal a key, expected one suite for each seed"
                ));
            }
        }
        Ok(())
    }
}

/// The proofs of all rows that have what it takes, many at once.
fn prove_all(rows: &[Result<Row<'_>, String>]) -> Result<Vec<Option<(Proof, Output)>>, String> {
    let readable = rows.iter().enumerate();
    let readable =
        readable.filter_map(|(index, row)| Some((index, row.as_ref().ok()?.key.suite())));
    let mut proved = vec![None; rows.len()];
    for (_, members) in by_suite(readable) {
        let requests: Vec<(&SecretKey, &[u8])> = members
            .iter()
            .flat_map(|&index| &rows[index])
            .map(|row| (row.key.as_ref(), row.alpha.as_ref()))
            .collect();
        let proofs = prove_many(&requests).map_err(|error| error.to_string())?;
        for (index, proof) in members.into_iter().zip(proofs) {
            proved[index] = Some(proof);
        }
    }
    Ok(proved)
}

fn row_key(suite: Suite, seed: &Cells, row: usize) -> Result<SecretKey, String> {
    let bytes = Zeroizing::new(seed.require(row)?.into_owned());
    match bytes.as_slice().try_into() {
        Ok(seed) => Ok(SecretKey::from_seed(suite, seed)),
        Err(_) => Err(format!("seed has {} bytes, expected 32", bytes.len())),
    }
}
