//! `klero token mint`: a new token.

use klero_token::{Limits, Scheme, Verified};

use super::args::{LimitArgs, Payload};
use super::keys::SecretFile;
use super::scheme::with_scheme;
use super::text;
use crate::error::{Error, Status};
use crate::input::{self, Source};

/// Make a token of one block, signed by the issuer's key
#[derive(clap::Args)]
pub struct Args {
    /// Secret key of the issuer: file, or - for standard input
    #[arg(long, value_name = "FILE|-")]
    key: String,
    /// Number by which verifiers find the issuer's key
    #[arg(long, value_name = "N", default_value_t = 0)]
    root_id: u32,
    #[command(flatten)]
    payload: Payload,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let source = Source::from(args.key.as_str());
    input::one_stdin(&[
        ("--key", matches!(source, Source::Stdin)),
        ("--payload-file", args.payload.is_stdin()),
    ])?;
    let key = SecretFile::read(source)?;
    let limits = args.limits.get();
    let payload = args.payload.read(&limits)?;
    with_scheme!(key.scheme, mint(&key, args.root_id, &payload, &limits))
}

fn mint<S: Scheme>(
    key: &SecretFile,
    root_id: u32,
    payload: &[u8],
    limits: &Limits,
) -> Result<Status, Error> {
    let token = Verified::mint(&key.key::<S>()?, root_id, payload, &[])
        .map_err(|fault| Error::at("cannot make the token", fault))?;
    text::write(&token, limits)?;
    Ok(Status::AllValid)
}
