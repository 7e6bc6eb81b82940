//! `klero token statement`: what a third party states about a token.

use klero_token::{Limits, Request};

use super::args::Payload;
use super::given::Given;
use super::keys::SecretArg;
use super::out::OutArgs;
use super::text;
use crate::error::{Error, Status};
use crate::input;

/// Answer a request for a statement about a token, as a third party
///
/// The statement is valid only for the token that the request was made for. It meets a caveat
/// `vouched KEY TEXT` if the payload is exactly TEXT. The third party does not see the token.
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
    let statement = request.sign(&key, &payload);
    let statement = statement
        .and_then(|statement| statement.to_text())
        .map_err(|fault| Error::at("cannot make the statement", fault))?;
    args.out.public(&statement)?;
    Ok(Status::AllValid)
}
