//! `klero token keygen`: a new key pair for tokens.

use klero_token::{Keys, Scheme, SecretKey, ThirdParty};

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
    match args.third_party {
        true => generate(ThirdParty, &args.pair, THIRD_PARTY),
        false => generate(args.scheme, &args.pair, ISSUER),
    }
}

fn generate<K: Keys>(of: K, pair: &PairArgs, names: [&str; 2]) -> Result<Status, Error> {
    let key = SecretKey::generate(of).map_err(|error| Error::at("cannot make a key", error))?;
    let public = key.public_key();
    pair.write(
        names,
        &keys::secret_text(&key),
        &format!("{public}\n"),
        public,
    )?;
    Ok(Status::AllValid)
}
