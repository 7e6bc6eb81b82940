//! `klero token`: attenuable tokens, from keys to verdicts.
//!
//! Tokens are lines of text on standard input and output, so that commands join into
//! pipelines; keys are files ([`keys`]). The scheme of a token stands in the token, that
//! of a key in its file; everything else is generic over it. What a token says is shown
//! in one way, whoever vouches for it ([`view`]).

mod append;
mod args;
mod inspect;
mod keygen;
mod keys;
mod lines;
mod mint;
mod seal;
mod text;
mod verify;
mod view;

pub use keys::PREFIX as KEY_PREFIX;

use clap::ValueEnum;
use klero_token::Scheme;

use crate::error::{Error, Status};

/// Make, extend and verify tokens that a holder can narrow, and nobody widen
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

/// The schemes, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemeName {
    /// A chain of Ed25519 signatures
    Chain,
    /// Half-aggregated Schnorr signatures on ristretto255: smaller and faster
    Aggregate,
    /// One BLS12-381 signature: smallest from five blocks on, slow
    Bls,
}

/// Calls a function that is generic over the scheme with the scheme of that name.
macro_rules! with_scheme {
    ($scheme:expr, $function:ident($($argument:expr),*)) => {
        match $scheme {
            $crate::token::SchemeName::Chain => $function::<klero_token::Chain>($($argument),*),
            $crate::token::SchemeName::Aggregate => {
                $function::<klero_token::Aggregate>($($argument),*)
            }
            $crate::token::SchemeName::Bls => $function::<klero_token::Bls>($($argument),*),
        }
    };
}
use with_scheme;

impl SchemeName {
    /// The scheme that the library gives this name.
    fn named(name: &str) -> Option<Self> {
        let mut all = Self::value_variants().iter().copied();
        all.find(|scheme| scheme.name() == name)
    }

    /// Its name.
    fn name(self) -> &'static str {
        fn name_of<S: Scheme>() -> &'static str {
            S::NAME
        }
        with_scheme!(self, name_of())
    }
}
