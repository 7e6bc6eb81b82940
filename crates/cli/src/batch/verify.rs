//! `klero batch verify`: a verdict for every row.

use klero_arrow::VerifyTable;

use super::files::{FORMATS, Files};
use crate::error::{Error, Status};

/// Verify every row of a table and write it with verdicts
///
/// Columns read:
///   key      the public key
///   alpha    the input of the VRF
///   proof    the proof
///   output   the output, if the row claims one; in CSV an empty one is no claim
///   suite    the suite of the row, if there is no --suite
///
/// Columns written, in place of any that have these names:
///   output   what the row claims, or the computed one if it is valid and claims none
///   verdict  `valid` or `invalid: reason`
///
/// A row that cannot be read is invalid, and the others go on.
#[derive(clap::Args)]
#[command(after_help = FORMATS, verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    files: Files,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let table = VerifyTable::new(args.files.suite);
    args.files
        .process(|schema| table.check(schema), |rows| table.verify(rows))
}
