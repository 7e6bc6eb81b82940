//! `klero token seal`: a token that answers one challenge.

use klero_token::{Challenge, Limits, Scheme};

use super::args::{ChallengeArgs, LimitArgs};
use super::keys::{RootArgs, Roots};
use super::scheme::with_scheme;
use super::text::{self, Text};
use super::verify;
use crate::error::{Error, Status};

/// Seal the token on standard input to a verifier's challenge
///
/// The token is verified first (exit status 1 if it is invalid). A sealed token answers no
/// other challenge, and nothing can be added to it.
#[derive(clap::Args)]
#[command(
    mut_arg("nonce", |arg| arg.required(true)),
    mut_arg("audience", |arg| arg.required(true)),
    mut_arg("time", |arg| arg.required(true))
)]
pub struct Args {
    #[command(flatten)]
    roots: RootArgs,
    #[command(flatten)]
    challenge: ChallengeArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let roots = args.roots.read()?;
    let limits = args.limits.get();
    let challenge = args
        .challenge
        .get()
        .ok_or_else(|| Error::new("expected --nonce, --audience and --time"))?;
    let text = text::read_one(&limits)?;
    with_scheme!(text.scheme, seal(&text, &roots, &challenge, &limits))
}

fn seal<S: Scheme>(
    text: &Text,
    roots: &Roots,
    challenge: &Challenge<'_>,
    limits: &Limits,
) -> Result<Status, Error> {
    let token = verify::to_extend::<S>(text, roots, limits)?
        .seal(challenge)
        .map_err(|fault| Error::at("cannot seal the token", fault))?;
    text::write(&token, limits)?;
    Ok(Status::AllValid)
}
