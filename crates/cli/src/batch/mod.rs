//! `klero batch`: a table in, the same table with verdicts out.
//!
//! What happens to rows is in [`klero_arrow`], what happens to files in
//! [`table`](crate::table); [`work`] connects the two.

mod columns;
mod evaluate;
mod files;
mod prove;
mod reasons;
mod secret;
mod tables;
mod verify;
mod work;

use crate::args::threads;
use crate::ui::error::{Error, Status};

/// Verify, prove or evaluate every row of a table: CSV, JSON lines or Parquet
#[derive(clap::Subcommand)]
pub enum Command {
    Verify(verify::Args),
    Prove(prove::Args),
    Evaluate(evaluate::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Result<Status, Error> {
    threads::start(None)?;
    match command {
        Command::Verify(args) => verify::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Evaluate(args) => evaluate::run(args),
    }
}
