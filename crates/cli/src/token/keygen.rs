//! `klero token keygen`: a new key pair for tokens.

use std::path::PathBuf;

use klero_token::{Scheme, SecretKey};

use super::{SchemeName, keys, with_scheme};
use crate::error::{Error, Status};
use crate::keyfile::Pair;

/// Make a new key pair for tokens from the operating system's random source
///
/// The secret key's file can be read by its owner only. A key is good for one scheme.
#[derive(clap::Args)]
pub struct Args {
    /// What signs the tokens
    #[arg(long, value_enum, default_value = "chain")]
    scheme: SchemeName,
    /// File for the secret key
    #[arg(long, value_name = "FILE", default_value = "token.skey")]
    out_secret: PathBuf,
    /// File for the public key
    #[arg(long, value_name = "FILE", default_value = "token.vkey")]
    out_public: PathBuf,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    with_scheme!(args.scheme, generate(args))
}

fn generate<S: Scheme>(args: &Args) -> Result<Status, Error> {
    let key = SecretKey::<S>::generate().map_err(|error| Error::at("cannot make a key", error))?;
    let pair = Pair {
        secret: &args.out_secret,
        public: &args.out_public,
        force: args.force,
    };
    pair.write(
        &keys::secret_text(&key),
        &keys::public_text(key.public_key()),
    )?;
    Ok(Status::AllValid)
}
