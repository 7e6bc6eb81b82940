//! `klero token append`: a token with one more block.

use klero_token::{Limits, Scheme};

use super::args::{LimitArgs, Payload};
use super::keys::{RootArgs, Roots};
use super::scheme::with_scheme;
use super::text::{self, Text};
use super::verify;
use crate::error::{Error, Status};
use crate::input;

/// Add an opaque block to the token on standard input
///
/// The block is bytes whose meaning only the application knows.
///
/// The token is verified first: nothing is added to an invalid one (exit status 1). Nothing can
/// be added to a sealed token.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    roots: RootArgs,
    #[command(flatten)]
    payload: Payload,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    input::one_stdin(&[
        ("the token", true),
        ("--payload-file", args.payload.is_stdin()),
    ])?;
    let roots = args.roots.read()?;
    let limits = args.limits.get();
    let payload = args.payload.read(&limits)?;
    let text = text::read_one(&limits)?;
    with_scheme!(text.scheme, append(&text, &roots, &payload, &limits))
}

fn append<S: Scheme>(
    text: &Text,
    roots: &Roots,
    payload: &[u8],
    limits: &Limits,
) -> Result<Status, Error> {
    let token = verify::to_extend::<S>(text, roots, limits)?
        .append(payload)
        .map_err(|fault| Error::at("cannot add to the token", fault))?;
    text::write(&token, limits)?;
    Ok(Status::AllValid)
}
