//! `klero chain`: every VRF proof of a Cardano chain, from a node's own files.
//!
//! A walk along the files runs ahead and makes claims ([`klero_cardano`]), all cores
//! verify groups of them ([`check`]), and one judge puts the verdicts back into the
//! order of the chain ([`judge`]). What it finds is folded, a finding for each kind and chunk
//! ([`fold`]). What is said of the outcome, to people or to
//! machines, is in [`report`].

mod check;
mod counts;
mod demo;
mod finding;
mod fold;
mod frontier;
mod judge;
mod network;
mod report;
mod state;
mod verify;

use crate::error::{Error, Status};

/// Verify every VRF proof of a Cardano chain
#[derive(clap::Subcommand)]
pub enum Command {
    Verify(Box<verify::Args>),
    Demo(demo::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Result<Status, Error> {
    match command {
        Command::Verify(args) => verify::run(args),
        Command::Demo(args) => demo::run(args),
    }
}
