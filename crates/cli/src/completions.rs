//! `klero completions`: a script that lets a shell complete this command line.

use std::io::{self, Write};

use clap_complete::Shell;

use crate::ui::error::{Error, Status};

/// Print a completion script for a shell
///
/// For example, for bash:  klero completions bash > ~/.local/share/bash-completion/completions/klero
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `klero completions`. `cli` is the definition of the whole command line.
pub fn run(args: &Args, mut cli: clap::Command) -> Result<Status, Error> {
    // The script goes to memory first, because the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli, "klero", &mut script);
    io::stdout()
        .write_all(&script)
        .map_err(|error| Error::write("standard output", &error))?;
    Ok(Status::AllValid)
}
