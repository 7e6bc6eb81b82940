//! `klero chain`: checks every header of a Cardano chain in a node's own files.
//!
//! [`klero_audit`] does the work. This module has the arguments ([`verify`], [`network`]), the progress,
//! and the output ([`text`], [`json`]).

mod broken;
mod demo;
pub mod json;
#[cfg(feature = "tables")]
mod margins;
pub mod network;
mod printer;
mod run;
pub mod stake;
mod text;
mod verify;

use crate::ui::error::{Error, Status};

/// Verify every header of a Cardano chain
#[derive(clap::Subcommand)]
pub enum Command {
    Verify(Box<verify::Args>),
    Demo(demo::Args),
}

/// Runs a command of `klero chain`.
pub fn run(command: &Command) -> Result<Status, Error> {
    match command {
        Command::Verify(args) => verify::run(args),
        Command::Demo(args) => demo::run(args),
    }
}
