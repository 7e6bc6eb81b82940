//! `klero token challenge`: a new challenge.

use serde_json::json;

use super::clock;
use super::out::OutArgs;
use crate::error::{Error, Status};

/// Make a challenge, to which the holder of a token seals it
///
/// Prints a JSON object with 16 random bytes, the audience and the time of the clock. Give it to
/// the holder, and verify the sealed token with it. A challenge is used once, which no command
/// checks. How long you wait for the answer is up to you (--max-age of verify and check).
#[derive(clap::Args)]
pub struct Args {
    /// Whom the token is to be shown to: the name of the verifier
    #[arg(long, value_name = "NAME")]
    audience: String,
    #[command(flatten)]
    out: OutArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce).map_err(|error| Error::at("no randomness", error))?;
    let challenge = json!({
        "nonce": hex::encode(nonce),
        "audience": args.audience,
        "time": clock::now()?,
    });
    args.out.public(&challenge.to_string())?;
    Ok(Status::AllValid)
}
