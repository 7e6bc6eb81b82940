//! `klero batch`: a table in, the same table with verdicts out.
//!
//! [`klero_arrow`] does the work on rows, [`table`](crate::table) the work on files, and [`work`] connects
//! the two.

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

/// Runs a command of `klero batch`.
pub fn run(command: &Command) -> Result<Status, Error> {
    threads::start(None)?;
    match command {
        Command::Verify(args) => verify::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Evaluate(args) => evaluate::run(args),
    }
}
