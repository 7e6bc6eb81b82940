//! `klero token mint`: a new token.

use klero_token::Token;

use super::args::{CAVEATS, CaveatArgs, LimitArgs, OutArgs, Payload};
use super::keys::SecretArg;
use super::text::not_made;
use crate::args::source;
use crate::ui::error::Error;

/// Make a token of one block, signed by the issuer's key
///
/// The payload says what the token allows, in the application's own words. Caveats are the conditions under
/// which the token allows it.
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

/// Runs `klero token mint`.
pub fn run(args: &Args) -> Result<(), Error> {
    source::one_stdin(&[args.key.stdin(), args.payload.stdin()])?;
    let (key, limits) = (args.key.issuer()?, args.limits.get());
    let (payload, caveats) = (args.payload.read(&limits)?, args.caveats.get());
    let token = Token::mint_within(&limits, &key, args.root_id, &payload, &caveats);
    let token = token.map_err(|fault| not_made("cannot make the token", &fault))?;
    args.out.token(&token)
}
