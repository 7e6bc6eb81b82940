//! `klero keygen`: a new key pair.

use std::path::PathBuf;

use klero::{SecretKey, Suite};

use crate::error::{Error, Status};
use crate::keyfile::{KeyFormat, Pair};

/// Make a new key pair from the operating system's random source
///
/// The signing key's file can be read by its owner only. The verification key of
/// a signing key that exists already is printed by `klero public-key`.
#[derive(clap::Args)]
pub struct Args {
    /// Suite that the key belongs to (`klero suites` lists them)
    #[arg(long, value_name = "NAME")]
    suite: Suite,
    /// File for the signing key (secret)
    #[arg(
        long,
        alias = "signing-key-file",
        value_name = "FILE",
        default_value = "vrf.skey"
    )]
    signing_key: PathBuf,
    /// File for the verification key
    #[arg(
        long,
        alias = "verification-key-file",
        value_name = "FILE",
        default_value = "vrf.vkey"
    )]
    verification_key: PathBuf,
    /// How the keys are written
    #[arg(long, value_enum, default_value = "envelope")]
    format: KeyFormat,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let Args {
        suite,
        signing_key,
        verification_key,
        format,
        force,
    } = args;
    let key = SecretKey::generate(*suite).map_err(|error| Error::at("cannot make a key", error))?;
    let pair = Pair {
        secret: signing_key,
        public: verification_key,
        force: *force,
    };
    pair.write(&format.secret(&key), &format.public(&key))?;
    Ok(Status::AllValid)
}
