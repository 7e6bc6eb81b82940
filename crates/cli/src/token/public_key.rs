//! `klero token public-key`: the public key of a secret key.

use klero_token::Keys;

use super::keys::{SecretArg, SecretFile};
use super::scheme::with_scheme;
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
    match file.scheme() {
        Some(scheme) => with_scheme!(scheme, show(&file)),
        None => show::<klero_token::ThirdParty>(&file),
    }
}

fn show<K: Keys>(file: &SecretFile) -> Result<Status, Error> {
    print(format_args!("{}\n", file.key::<K>()?.public_key()))?;
    Ok(Status::AllValid)
}
