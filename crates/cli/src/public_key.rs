//! `klero public-key`: the public key of a secret key.

use crate::error::{Error, Status};
use crate::keyfile::{KeyFormat, SecretArgs};
use crate::stdout::print;

/// Print the public key of a secret key
///
/// In hex the public key is the same for every suite. A text envelope also names the suite of the
/// key.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    secret: SecretArgs,
    /// Form of the public key
    #[arg(long, value_enum, default_value = "hex")]
    format: KeyFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let text = args.format.public(&args.secret.read()?);
    print(text)?;
    Ok(Status::AllValid)
}
