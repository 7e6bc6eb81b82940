//! `klero public-key`: the verification key of a signing key.

use std::io::Write;

use crate::error::{Error, Status};
use crate::keyfile::{KeyFormat, SecretArgs};

/// Print the verification key of a signing key
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    secret: SecretArgs,
    /// How the key is written
    #[arg(long, value_enum, default_value = "hex")]
    format: KeyFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let text = args.format.public(&args.secret.read()?);
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| Error::write("standard output", &error))?;
    Ok(Status::AllValid)
}
