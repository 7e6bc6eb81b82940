//! `klero completions`: what a shell needs to complete this command line.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;
use crate::error::{Error, Status};

/// Print a script of completions for a shell
///
/// For example, for bash:  klero completions bash > ~/.local/share/bash-completion/completions/klero
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    // First to memory: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "klero", &mut script);
    io::stdout()
        .write_all(&script)
        .map_err(|error| Error::write("standard output", &error))?;
    Ok(Status::AllValid)
}
