//! `klero batch prove`: a proof for every row.
//!
//! One secret key for all rows is wiped when it is done with. Seeds in a column
//! pass through the readers of tables, which wipe nothing and decode hex in variable
//! time; only the bytes decoded here are wiped. Seeds are never written.

use std::borrow::Cow;

use klero::{Output, Proof, PublicKey, SecretKey, Suite};
use zeroize::Zeroizing;

use super::cells::{self, Cells, Encoding};
use super::{Done, FORMATS, Files};
use crate::error::{Error, Status};
use crate::input::{self, Source};
use crate::keyfile;
use crate::table::Group;

/// Prove every row of a table and write it with proofs
///
/// Columns: alpha and, without --key, seed: the 32-byte secret seed of the row's
/// key. Written beside alpha: key, proof, output and verdict (`valid`, or
/// `invalid: reason` for a row that cannot be read), instead of columns of these
/// names that were there. The column seed is secret and is not written.
#[derive(clap::Args)]
#[command(after_help = FORMATS)]
pub struct Args {
    #[command(flatten)]
    files: Files,
    /// Signing key for all rows: file, or - for standard input (text envelope, hex
    /// or bytes)
    #[arg(long, value_name = "FILE|-")]
    key: Option<String>,
    /// Use the key in --suite, though its file says another suite. Proofs of one alpha in
    /// two suites can give the key to everyone
    #[arg(long, requires = "key")]
    dangerously_reuse_key: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let source = args.key.as_deref().map(Source::from);
    input::one_stdin(&[
        ("FILE", matches!(args.files.source(), Source::Stdin)),
        ("--key", matches!(source, Some(Source::Stdin))),
    ])?;
    let suite = args.files.suite;
    let key = source
        .as_ref()
        .map(|source| keyfile::read_secret(source, Some(suite), args.dangerously_reuse_key))
        .transpose()?;
    args.files.process(
        |schema| {
            let required: &[&str] = if key.is_some() {
                &["alpha"]
            } else {
                &["alpha", "seed"]
            };
            cells::check_columns(schema, required, &[])
        },
        |group| prove(suite, key.as_ref(), &group),
    )
}

fn prove(suite: Suite, key: Option<&SecretKey>, group: &Group) -> Result<Done, String> {
    let batch = &group.batch;
    if key.is_some() && batch.column_by_name("seed").is_some() {
        return Err("there is a column \"seed\" and --key was given: expected one of them".into());
    }
    let (alpha, seed) = (Cells::of(batch, "alpha")?, Cells::of(batch, "seed")?);
    let prove = |row| -> Result<(PublicKey, Proof, Output), String> {
        if let Some(fault) = group.faults.get(&row) {
            return Err(fault.clone());
        }
        let key = match key {
            Some(key) => Cow::Borrowed(key),
            None => Cow::Owned(row_key(suite, &seed, row)?),
        };
        let (proof, output) = key.prove(&alpha.require(row)?);
        Ok((*key.public_key(), proof, output))
    };
    let rows: Vec<_> = (0..batch.num_rows()).map(prove).collect();

    let encoding = batch
        .schema()
        .field_with_name("alpha")
        .ok()
        .and_then(Encoding::of)
        .unwrap_or(Encoding::Hex);
    let proved = || rows.iter().map(|row| row.as_ref().ok());
    let columns = vec![
        cells::column(
            "key",
            encoding,
            proved().map(|row| row.map(|(key, _, _)| key)),
        ),
        cells::column(
            "proof",
            encoding,
            proved().map(|row| row.map(|(_, proof, _)| proof)),
        ),
        cells::column(
            "output",
            encoding,
            proved().map(|row| row.map(|(_, _, output)| output)),
        ),
    ];
    Done::new(
        group,
        columns,
        Some("seed"),
        rows.iter().map(|row| row.as_ref().err()),
    )
}

fn row_key(suite: Suite, seed: &Cells, row: usize) -> Result<SecretKey, String> {
    let bytes = Zeroizing::new(seed.require(row)?.into_owned());
    match bytes.as_slice().try_into() {
        Ok(seed) => Ok(SecretKey::from_seed(suite, seed)),
        Err(_) => Err(format!("seed has {} bytes, expected 32", bytes.len())),
    }
}
