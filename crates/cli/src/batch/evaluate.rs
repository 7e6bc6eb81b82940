//! `klero batch evaluate`: an output for every row.

use super::files::FORMATS;
use super::secret::{SEEDS, SecretFiles};
use crate::ui::error::{Error, Status};

/// Evaluate every row of a table, and write the table with outputs (no proofs)
///
/// Columns read:
///   alpha    the input of the VRF
///   seed     the 32-byte secret seed of the row's key, if there is no --key
///   suite    the suite of the row, if there is no --suite
///
/// Columns written, replacing columns of the same names:
///   key      the public key
///   output   the output
///   verdict  `valid`, or `invalid: reason` for a row that cannot be read
#[derive(clap::Args)]
#[command(after_help = format!("{SEEDS}\n\n{FORMATS}"), verbatim_doc_comment)]
pub struct Args {
    #[command(flatten)]
    secret: SecretFiles,
}

/// Runs `klero batch evaluate`.
pub fn run(args: &Args) -> Result<Status, Error> {
    args.secret.process(|table, rows| table.evaluate(rows))
}
