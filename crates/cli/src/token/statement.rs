//! `klero token statement`: what a third party states about a token.

use klero_token::{Caveat, Error as Fault, Limits, Request, Statement};

use super::args::Payload;
use super::clock;
use super::given::Given;
use super::keys::SecretArg;
use super::out::OutArgs;
use super::text;
use crate::error::{Error, Status};
use crate::input;

/// Answer a request for a statement about a token, as a third party
///
/// The statement is valid only for the token that the request was made for. It meets a caveat
/// `vouched KEY TEXT` if the payload is exactly TEXT, or TEXT followed by a line `before TIME` that has
/// not passed. So sign no text that somebody else wrote. The third party does not see the token.
#[derive(clap::Args)]
#[command(mut_group("payloads", |group| group.required(true)))]
pub struct Args {
    /// Request for a statement, from the holder: its text, a file with it, or - for standard input
    #[arg(value_name = "REQUEST|FILE|-", default_value = "-")]
    request: String,
    #[command(flatten)]
    key: SecretArg,
    #[command(flatten)]
    payload: Payload,
    /// Until when the statement holds: after a duration from now on (90s, 15m, 2h, 7d, 4w) or at a
    /// time (2026-11-23T06:15:00Z)
    #[arg(long, value_name = "TIME", value_parser = clock::expires)]
    expires: Option<Caveat>,
    #[command(flatten)]
    out: OutArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let given = Given::encoded("request for a statement", &args.request);
    input::one_stdin(&[
        ("the request for a statement", given.is_stdin()),
        args.key.stdin(),
        args.payload.stdin(),
    ])?;
    let key = args.key.read()?.third_party()?;
    let limits = Limits::default();
    let payload = args.payload.read(&limits)?;
    let text = text::read_one(&given, &limits)?;
    let request = Request::from_text(&text).map_err(|fault| given.unreadable(fault))?;
    let payload = match args.expires {
        Some(Caveat::Before(time)) => expiring(&payload, time)?,
        _ => payload,
    };
    let statement = request.sign(&key, &payload);
    let statement = statement
        .and_then(|statement| statement.to_text())
        .map_err(|fault| Error::at("cannot make the statement", fault))?;
    args.out.public(&statement)?;
    Ok(Status::AllValid)
}

/// The payload with a second line that says until when it holds.
fn expiring(payload: &[u8], time: u64) -> Result<Vec<u8>, Error> {
    let what = "cannot make a statement that expires";
    let text = str::from_utf8(payload).map_err(|_| Error::at(what, "expected a text"))?;
    let payload = Statement::expiring(text, time).map_err(|fault| match fault {
        // The text may be a secret.
        Fault::Caveat(fault) => Error::at(what, fault.fault),
        fault => Error::at(what, fault),
    })?;
    Ok(payload.into_bytes())
}
