//! `klero token`: attenuable tokens, from keys to verdicts.
//!
//! Tokens, requests for statements, and statements are lines of base64url, given as text, as a file
//! or on standard input ([`text`]), and written to standard output or a file, so that commands can be
//! joined in a pipeline. Keys are files ([`keys`]). A token names its scheme, and so does a key file.
//! The content of a token is printed in the same way whether it was verified or not ([`print`]).

mod access;
mod append;
mod args;
mod check;
mod clock;
mod holder;
mod inspect;
mod keys;
mod mint;
mod print;
mod seal;
mod statement;
mod text;
mod verifier;
mod verify;

use crate::ui::error::{Error, Status};

/// Make, narrow and verify tokens that any holder can narrow and nobody can widen
///
/// Commands read a token that is given as text, as a file or on standard input, and write one to
/// standard output or to a file (--out), in base64url. Anyone who sees a token that is not sealed can use it:
/// treat it as a password.
#[derive(clap::Subcommand)]
pub enum Command {
    Keygen(keys::KeygenArgs),
    /// Print the public key of a secret key
    ///
    /// As text, for --root and for the caveat `vouched`: chain:…, or ed25519:… of a third party.
    PublicKey(keys::SecretArg),
    Mint(mint::Args),
    Append(append::Args),
    Request(statement::RequestArgs),
    Statement(statement::StatementArgs),
    Challenge(seal::ChallengeArgs),
    Seal(seal::SealArgs),
    Verify(verify::Args),
    Check(check::Args),
    Inspect(inspect::Args),
}

/// Runs a command of `klero token`.
pub fn run(command: &Command) -> Result<Status, Error> {
    match command {
        Command::Keygen(args) => keys::keygen(args)?,
        Command::PublicKey(key) => keys::public_key(key)?,
        Command::Mint(args) => mint::run(args)?,
        Command::Append(args) => append::run(args)?,
        Command::Request(args) => statement::request(args)?,
        Command::Statement(args) => statement::state(args)?,
        Command::Challenge(args) => seal::challenge(args)?,
        Command::Seal(args) => seal::seal(args)?,
        Command::Verify(args) => return verify::run(args),
        Command::Check(args) => return check::run(args),
        Command::Inspect(args) => inspect::run(args)?,
    }
    Ok(Status::AllValid)
}
