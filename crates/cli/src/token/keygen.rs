//! `klero token keygen`: a new key pair for tokens.

use klero_token::{KeyKind, Scheme, SecretKey};

use super::keys;
use super::scheme::scheme;
use crate::error::{Error, Status};
use crate::keyfile::PairArgs;

/// The default names of an issuer's files.
const ISSUER: [&str; 2] = ["token.skey", "token.vkey"];

/// The default names of a third party's files.
const THIRD_PARTY: [&str; 2] = ["third-party.skey", "third-party.vkey"];

/// Make a new key pair for tokens from the operating system's random source
///
/// Writes their text to token.skey and token.vkey (of a third party to third-party.skey and
/// third-party.vkey), and prints the public key. An issuer's key belongs to
/// one scheme; a third party's makes statements for tokens of every scheme.
#[derive(clap::Args)]
pub struct Args {
    /// Signature scheme of the tokens
    #[arg(long, value_parser = scheme(), default_value = "chain")]
    scheme: Scheme,
    /// Make the key of a third party, which signs statements and no tokens
    #[arg(long, conflicts_with = "scheme")]
    third_party: bool,
    #[command(flatten)]
    pair: PairArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let (kind, names) = match args.third_party {
        true => (KeyKind::Ed25519, THIRD_PARTY),
        false => (args.scheme.into(), ISSUER),
    };
    let key = SecretKey::generate(kind).map_err(|error| Error::at("cannot make a key", error))?;
    let public = key.public_key();
    args.pair.write(
        names,
        &keys::secret_text(&key),
        &format!("{public}\n"),
        public,
    )?;
    Ok(Status::AllValid)
}
