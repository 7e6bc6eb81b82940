//! `klero token`: attenuable tokens, from keys to verdicts.
//!
//! Tokens are lines of text on standard input and output, so that commands can be joined in a
//! pipeline; keys are files ([`keys`]). A token names its scheme, and so does a key file; all
//! other code is generic over the scheme ([`scheme`]). The content of a token is shown in the
//! same way whether it was verified or not ([`view`]).

mod append;
mod args;
mod inspect;
mod keygen;
mod keys;
mod lines;
mod mint;
mod scheme;
mod seal;
mod text;
mod verify;
mod view;

use crate::error::{Error, Status};

/// Make, extend and verify tokens that any holder can narrow and nobody can widen
///
/// Tokens are read from standard input and written to standard output, one a line, in
/// base64url. Whoever sees a token that is not sealed can use it: treat it as a password.
#[derive(clap::Subcommand)]
pub enum Command {
    Keygen(keygen::Args),
    Mint(mint::Args),
    Append(append::Args),
    Seal(seal::Args),
    Verify(verify::Args),
    Inspect(inspect::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Result<Status, Error> {
    match command {
        Command::Keygen(args) => keygen::run(args),
        Command::Mint(args) => mint::run(args),
        Command::Append(args) => append::run(args),
        Command::Seal(args) => seal::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Inspect(args) => inspect::run(args),
    }
}
