//! `klero token public-key`: the public key of a secret key.

use super::keys::SecretArg;
use crate::error::{Error, Status};
use crate::stdout::print;

/// Print the public key of a secret key
///
/// As text, for --root and for the caveat `vouched`: chain:…, or ed25519:… of a third party.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    key: SecretArg,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let file = args.key.read()?;
    print(format_args!("{}\n", file.key().public_key()))?;
    Ok(Status::AllValid)
}
