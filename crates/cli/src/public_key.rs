//! `klero public-key`: the verification key of a signing key.

use std::io::Write;

use crate::error::{Error, Status};
use crate::input::Source;
use crate::keyfile::{self, KeyFormat};

/// Print the verification key of a signing key
#[derive(clap::Args)]
pub struct Args {
    /// Signing key: file, or - for standard input (text envelope, hex or bytes)
    #[arg(long, value_name = "FILE|-")]
    key: String,
    /// How the key is written
    #[arg(long, value_enum, default_value = "hex")]
    format: KeyFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let key = keyfile::read_secret(&Source::from(args.key.as_str()))?;
    let text = args.format.public(key.public_key());
    std::io::stdout()
        .write_all(text.as_bytes())
        .map_err(|error| Error::write("standard output", &error))?;
    Ok(Status::AllValid)
}
