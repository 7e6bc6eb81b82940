//! `klero token`: attenuable tokens, from keys to verdicts.
//!
//! Tokens, requests for statements, and statements are lines of base64url, given as text, as a file
//! or on standard input ([`given`], [`text`]), and written to standard output or a file ([`out`]), so
//! that commands can be joined in a pipeline. Keys are files ([`keys`]). A token names its scheme, and
//! so does a key file. The content of a token is shown in the same way whether it was verified or not
//! ([`view`]).

mod access;
mod append;
mod args;
mod asked;
mod challenge;
mod check;
mod clock;
mod document;
mod given;
mod holder;
mod inspect;
mod keygen;
mod keys;
mod lines;
mod mint;
mod out;
mod public_key;
mod relying_party;
mod request;
mod roots;
mod scheme;
mod seal;
mod statement;
mod text;
mod verifier;
mod verify;
mod view;

use crate::error::{Error, Status};

/// Make, narrow and verify tokens that any holder can narrow and nobody can widen
///
/// Commands read a token that is given as text, as a file or on standard input, and write one to
/// standard output or to a file (--out), in base64url. Whoever sees a token that is not sealed can
/// use it: treat it as a password.
#[derive(clap::Subcommand)]
pub enum Command {
    Keygen(keygen::Args),
    PublicKey(public_key::Args),
    Mint(mint::Args),
    Append(append::Args),
    Request(request::Args),
    Statement(statement::Args),
    Challenge(challenge::Args),
    Seal(seal::Args),
    Verify(verify::Args),
    Check(check::Args),
    Inspect(inspect::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Result<Status, Error> {
    match command {
        Command::Keygen(args) => keygen::run(args),
        Command::PublicKey(args) => public_key::run(args),
        Command::Mint(args) => mint::run(args),
        Command::Append(args) => append::run(args),
        Command::Request(args) => request::run(args),
        Command::Statement(args) => statement::run(args),
        Command::Challenge(args) => challenge::run(args),
        Command::Seal(args) => seal::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Check(args) => check::run(args),
        Command::Inspect(args) => inspect::run(args),
    }
}
