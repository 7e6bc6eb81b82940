//! `klero batch`: reads a table, and writes it again with verdicts.
//!
//! [`klero_arrow`] works on rows, and [`table`](crate::table) works on files. [`work`] connects the two.

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
