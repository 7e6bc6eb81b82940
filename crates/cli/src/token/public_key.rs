//! `klero token public-key`: the public key of a secret key.

use super::keys::{Secret, SecretArg};
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
    let text = match file.key() {
        Secret::Issuer(key) => key.public_key().to_string(),
        Secret::ThirdParty(key) => key.public_key().to_string(),
    };
    print(format_args!("{text}\n"))?;
    Ok(Status::AllValid)
}
