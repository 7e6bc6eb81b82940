//! `klero token mint`: a new token.

use klero_token::{Limits, Scheme, Verified};

use super::args::{CAVEATS, CaveatArgs, LimitArgs, Payload};
use super::keys::{SecretArg, SecretFile};
use super::out::OutArgs;
use super::scheme::with_scheme;
use crate::error::{Error, Status};
use crate::input;

/// Make a token of one block, signed by the issuer's key
///
/// The payload says what the token allows, in the application's own words. Caveats say under which
/// conditions.
#[derive(clap::Args)]
#[command(
    after_help = CAVEATS,
    mut_group("payloads", |group| group.required(true)),
)]
pub struct Args {
    #[command(flatten)]
    key: SecretArg,
    #[command(flatten)]
    payload: Payload,
    #[command(flatten)]
    caveats: CaveatArgs,
    #[command(flatten)]
    out: OutArgs,
    /// Number by which verifiers find the issuer's key
    #[arg(long, value_name = "N", default_value_t = 0)]
    root_id: u32,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    input::one_stdin(&[args.key.stdin(), args.payload.stdin()])?;
    let key = args.key.read()?;
    let limits = args.limits.get();
    let payload = args.payload.read(&limits)?;
    with_scheme!(key.issuer()?, mint(&key, &payload, args, &limits))
}

fn mint<S: Scheme>(
    key: &SecretFile,
    payload: &[u8],
    args: &Args,
    limits: &Limits,
) -> Result<Status, Error> {
    let caveats = args.caveats.get();
    let token = Verified::mint(&key.key::<S>()?, args.root_id, payload, &caveats)
        .map_err(|fault| Error::at("cannot make the token", fault))?;
    args.out.token(&token.into_unverified(), limits)?;
    Ok(Status::AllValid)
}
