//! The `klero` command: keys, single proofs, tables of claims, chains, tokens, and how
//! fast all that is.
//!
//! Each subcommand is a module with its `Args` and a `run` that ends in a
//! [`Status`] or an [`Error`]; this file joins them to the command line, the
//! environment and the process's exit status, and does nothing else.

mod batch;
mod bench;
mod chain;
mod error;
mod input;
mod keyfile;
mod keygen;
mod panics;
mod pipeline;
mod progress;
mod prove;
mod public_key;
mod sample;
mod suites;
mod table;
mod token;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use klero::Backend;

use crate::error::{Error, Status};

/// Prove and verify ECVRF on edwards25519, in every form in use; make and verify tokens.
#[derive(Parser)]
#[command(name = "klero", version, after_help = EXIT_STATUS, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What the exit status of every command means.
const EXIT_STATUS: &str = "\
Exit status:
  0  everything was valid
  1  something was invalid
  2  something could not be read or written, or the command line is wrong
  3  nothing was invalid, but not everything could be checked (chain)
  130  interrupted by Ctrl-C (chain)";

#[derive(Subcommand)]
enum Command {
    Keygen(keygen::Args),
    PublicKey(public_key::Args),
    Prove(prove::Args),
    Verify(verify::Args),
    #[command(subcommand)]
    Batch(batch::Command),
    #[command(subcommand)]
    Chain(chain::Command),
    Sample(sample::Args),
    Suites(suites::Args),
    #[command(subcommand)]
    Token(token::Command),
    Bench(bench::Args),
}

impl Command {
    fn run(&self) -> Result<Status, Error> {
        match self {
            Self::Keygen(args) => keygen::run(args),
            Self::PublicKey(args) => public_key::run(args),
            Self::Prove(args) => prove::run(args),
            Self::Verify(args) => verify::run(args),
            Self::Batch(command) => batch::run(command),
            Self::Chain(command) => chain::run(command),
            Self::Sample(args) => sample::run(args),
            Self::Suites(args) => suites::run(args),
            Self::Token(command) => token::run(command),
            Self::Bench(args) => bench::run(args),
        }
    }
}

/// Refuses a choice of backend that cannot be followed: the library would pass over
/// it, and a measurement would be of something else.
fn check_backend() -> Result<(), Error> {
    const VARIABLE: &str = "KLERO_BACKEND";
    let name = std::env::var_os(VARIABLE).unwrap_or_default();
    let names: Vec<_> = Backend::all().into_iter().map(Backend::name).collect();
    if name.is_empty() || names.iter().any(|known| name == *known) {
        return Ok(());
    }
    Err(Error::new(format!(
        "{VARIABLE} is {name:?}: expected what this processor can run: {}",
        names.join(", ")
    )))
}

fn main() -> ExitCode {
    panics::install_hook();
    let command = Cli::parse().command;
    match check_backend().and_then(|()| command.run()) {
        Ok(status) => status.into(),
        Err(Error::Invalid(message)) => {
            error::say(format_args!("klero: {message}"));
            Status::SomeInvalid.into()
        }
        Err(Error::Message(message)) => {
            error::say(format_args!("klero: {message}"));
            ExitCode::from(2)
        }
        Err(Error::ClosedPipe) => ExitCode::from(2),
    }
}
