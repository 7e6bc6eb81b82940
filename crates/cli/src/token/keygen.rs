//! `klero token keygen`: a new key pair for tokens.

use klero_token::{Scheme, SecretKey};

use super::keys;
use super::scheme::{SchemeName, with_scheme};
use crate::error::{Error, Status};
use crate::keyfile::PairArgs;

/// The files of a pair, unless others are named.
const NAMES: [&str; 2] = ["token.skey", "token.vkey"];

/// Make a new key pair for tokens from the operating system's random source
///
/// Writes text envelopes, to token.skey and token.vkey unless others are named, and
/// prints the public key in hex. A key is good for one scheme.
#[derive(clap::Args)]
pub struct Args {
    /// What signs the tokens
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
