//! `klero token`: makes, narrows and verifies tokens, and makes their keys.
//!
//! Tokens, requests for statements, and statements are lines of base64url. They are given as text, as a
//! file or on standard input ([`text`]), and written to standard output or a file. So commands can be
//! joined in a pipeline. Keys are files ([`keys`]). Tokens and key files name their scheme. The content of
//! a token is printed in the same way whether or not the token was verified ([`print`]).

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
/// Commands read a token that is given as text, as a file or on standard input, and write a token to standard
/// output or to a file (--out), in base64url. Anyone who sees a token that is not sealed can use it: treat it
/// as a password.
#[derive(clap::Subcommand)]
pub enum Command {
    Keygen(keys::KeygenArgs),
    /// Print the public key of a secret key
    ///
    /// Prints the key as text: chain:… for --root, or a third party's ed25519:… for the caveat `vouched`.
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
