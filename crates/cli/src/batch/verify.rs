//! `klero batch verify`: a verdict for every row.

use klero_arrow::VerifyTable;

use super::files::{FORMATS, Files};
use super::tables::tables;
use super::work::Work;
use crate::ui::error::{Error, Status};

/// Verify every row of a table, and write the table with verdicts
///
/// Columns read:
///   key      the public key
///   alpha    the input of the VRF
///   proof    the proof
///   output   the claimed output, if there is one; in CSV an empty value claims nothing
///   suite    the suite of the row, if there is no --suite
///
/// Columns written, replacing columns of the same names:
///   output   the claimed output, or the computed one if the row is valid and claims none
///   verdict  `valid` or `invalid: reason`
///
/// A row that cannot be read is invalid; the other rows are verified.
#[derive(clap::Args)]
#[command(after_help = FORMATS, verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    files: Files,
}

/// Runs `klero batch verify`.
pub fn run(args: &Args) -> Result<Status, Error> {
    let Files { suite, shape, .. } = &args.files;
    let work = Work {
        table: VerifyTable::new(*suite).options(shape.options()?),
        read: &["key", "alpha", "proof", "output", "suite"],
        check: VerifyTable::check,
        answer: |table, rows| table.verify(rows),
    };
    args.files.process(&tables(&args.files)?, work)
}
