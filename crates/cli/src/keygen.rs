//! `klero keygen`: a new key pair.

use std::path::PathBuf;

use klero::SecretKey;

use crate::error::{Error, Status};
use crate::keyfile::{self, KeyFormat, Secrecy};

/// Make a new key pair from the operating system's random source
///
/// The signing key's file can be read by its owner only. The verification key of
/// a signing key that exists already is printed by `klero public-key`.
#[derive(clap::Args)]
pub struct Args {
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
        signing_key,
        verification_key,
        format,
        force,
    } = args;
    if signing_key == verification_key {
        return Err(Error::at(
            signing_key.display(),
            "is named for both keys: expected two files",
        ));
    }
    // Looked at before anything is written, so that no half of a pair is left.
    for path in [signing_key, verification_key] {
        if !force && path.exists() {
            return Err(keyfile::exists(path));
        }
    }
    let key = SecretKey::generate().map_err(|error| Error::at("cannot make a key", error))?;
    keyfile::write(signing_key, &format.secret(&key), Secrecy::Secret, *force)?;
    let public = format.public(key.public_key());
    keyfile::write(verification_key, &public, Secrecy::Public, *force)?;
    Ok(Status::AllValid)
}
