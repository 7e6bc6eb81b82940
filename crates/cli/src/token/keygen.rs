//! `klero token keygen`: a new key pair for tokens.

use klero_token::{Scheme, SecretKey};

use super::keys;
use super::scheme::{SchemeName, with_scheme};
use crate::error::{Error, Status};
use crate::keyfile::PairArgs;

/// The default names of the files.
const NAMES: [&str; 2] = ["token.skey", "token.vkey"];

/// Make a new key pair for tokens from the operating system's random source
///
/// Writes text envelopes, by default to token.skey and token.vkey, and prints the public key in
/// hex. A key belongs to one scheme.
#[derive(clap::Args)]
pub struct Args {
    /// Signature scheme of the tokens
    #[arg(long, value_enum, default_value = "chain")]
    scheme: SchemeName,
    #[command(flatten)]
    pair: PairArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    with_scheme!(args.scheme, generate(args))
}

fn generate<S: Scheme>(args: &Args) -> Result<Status, Error> {
    let key = SecretKey::<S>::generate().map_err(|error| Error::at("cannot make a key", error))?;
    let public = key.public_key();
    args.pair.write(
        NAMES,
        &keys::secret_text(&key),
        &keys::public_text(public),
        public.as_bytes(),
    )?;
    Ok(Status::AllValid)
}
