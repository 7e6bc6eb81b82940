//! `klero token request` and `klero token statement`: a request about a token, and its answer.

use klero_token::{Caveat, Error as Fault, Limits, Request, Statement};

use super::args::{OutArgs, Payload};
use super::clock;
use super::holder::HolderArgs;
use super::keys::SecretArg;
use super::text::Given;
use crate::args::source;
use crate::ui::error::Error;

/// Ask a third party for a statement about a token
///
/// Prints a request for a statement. The request has 92 characters, reveals nothing about the token and is
/// no secret. The third party answers with `klero token statement`, and `klero token append --statement` adds
/// the answer. Add nothing to the token before that: the statement is only for the token as it is now.
#[derive(clap::Args)]
pub struct RequestArgs {
    #[command(flatten)]
    out: OutArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

/// Makes a request for a statement.
pub fn request(args: &RequestArgs) -> Result<(), Error> {
    let request = args.holder.token(&[])?.request();
    let request =
        request.map_err(|fault| Error::at("cannot make a request for a statement", fault))?;
    args.out.public(&request.to_text())
}

/// Answer a request for a statement about a token, as a third party
///
/// The statement is valid only for the token that the request was made for. It meets a caveat
/// `vouched KEY TEXT` if the payload is exactly TEXT, or TEXT followed by a line `before TIME` whose time has
/// not passed. Sign no text that somebody else wrote: it could contain such a line. You do not see the token.
#[derive(clap::Args)]
#[command(mut_group("payloads", |group| group.required(true)))]
pub struct StatementArgs {
    /// Request for a statement, from the holder: its text, a file with it, or - for standard input
    #[arg(
        value_name = "REQUEST|FILE|-",
        default_value = "-",
        value_parser = |value: &str| Given::encoded("request for a statement", value),
    )]
    request: Given,
    #[command(flatten)]
    key: SecretArg,
    #[command(flatten)]
    payload: Payload,
    /// Time at which the statement expires: a duration from now (90s, 15m, 2h, 7d, 4w), or a date
    /// (2026-11-23T06:15:00Z)
    #[arg(long, value_name = "TIME", value_parser = clock::expires)]
    expires: Option<Caveat>,
    #[command(flatten)]
    out: OutArgs,
}

/// Makes a statement.
pub fn state(args: &StatementArgs) -> Result<(), Error> {
    source::one_stdin(&[
        ("the request for a statement", args.request.is_stdin()),
        args.key.stdin(),
        args.payload.stdin(),
    ])?;
    let (key, limits) = (args.key.third_party()?, Limits::default());
    let payload = args.payload.read(&limits)?;
    let request = args.request.one(&limits, Request::from_text)?;
    let request = request.map_err(|fault| args.request.unreadable(fault))?;
    let payload = match args.expires {
        Some(Caveat::Before(time)) => expiring(&payload, time)?,
        _ => payload,
    };
    let statement = request.sign(&key, &payload);
    let statement = statement
        .and_then(|statement| statement.to_text())
        .map_err(|fault| Error::at("cannot make the statement", fault))?;
    args.out.public(&statement)
}

/// Returns the payload with a second line, which contains the time at which the statement expires.
fn expiring(payload: &[u8], time: u64) -> Result<Vec<u8>, Error> {
    let what = "cannot make a statement that expires";
    let text = str::from_utf8(payload).map_err(|_| Error::at(what, "expected a text"))?;
    let payload = Statement::expiring(text, time).map_err(|fault| match fault {
        // The text may be a secret, so the error does not repeat it.
        Fault::Caveat { what: fault, .. } => Error::at(what, fault),
        fault => Error::at(what, fault),
    })?;
    Ok(payload.into_bytes())
}
