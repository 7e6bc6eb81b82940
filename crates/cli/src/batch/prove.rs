//! `klero batch prove`: a proof for every row.

use klero_arrow::ProveTable;

use super::files::{FORMATS, Files};
use crate::error::{Error, Status};
use crate::input::{self, Source};
use crate::keyfile;

/// Prove every row of a table and write it with proofs
///
/// Columns read:
///   alpha    the input of the VRF
///   seed     the 32-byte secret seed of the row's key, if there is no --key
///   suite    the suite of the row, if there is no --suite
///
/// Columns written, replacing columns of the same names:
///   key      the public key
///   proof    the proof
///   output   the output
///   verdict  `valid`, or `invalid: reason` for a row that cannot be read
///
/// The column seed is secret and is not written. A row that cannot be divided into columns
/// may have its seed in any of them: only the verdict of such a row is written.
///
/// A seed has one suite. If a column suite names the suites, about 120 bytes of memory are
/// kept for each distinct seed to check this.
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
            "this is the file of the key, which would be lost: expected another file",
        ));
    }
    let suite = args.files.suite;
    let table = match &source {
        None => ProveTable::with_seeds(suite),
        Some(source) => {
            let reused = args.dangerously_reuse_key;
            ProveTable::new(keyfile::read_secret(source, suite, reused)?)
        }
    };
    args.files
        .process(|schema| table.check(schema), |rows| table.prove(rows))
}
