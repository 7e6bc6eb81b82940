//! `klero token challenge`: a new challenge, and the one that other commands are given.

use klero_token::Challenge;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::json;

use super::given::Given;
use super::out::OutArgs;
use super::{clock, document};
use crate::error::{Error, Status};
use crate::input;

/// Make a challenge, to which the holder of a token seals it
///
/// Prints a JSON object with 16 random bytes, the audience and the time of the clock. Give it to
/// the holder, and verify the sealed token with it. A challenge is used once, and no command
/// compares its time with the clock: you decide how long you wait for the answer.
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

/// The challenge of a verifier, as the command line has it.
#[derive(clap::Args)]
pub struct ChallengeArg {
    /// Challenge that the token is sealed to, as `klero token challenge` makes it: the JSON
    /// object, a file with it, or - for standard input
    #[arg(long, value_name = "JSON|FILE|-")]
    challenge: Option<String>,
}

impl ChallengeArg {
    /// Whether it is read from standard input.
    pub fn stdin(&self) -> (&'static str, bool) {
        let is_stdin = self.given().is_some_and(|given| given.is_stdin());
        ("--challenge", is_stdin)
    }

    /// The challenge, if there is one.
    pub fn read(&self) -> Result<Option<Set>, Error> {
        self.given().as_ref().map(document::read).transpose()
    }

    fn given(&self) -> Option<Given> {
        let value = self.challenge.as_deref()?;
        Some(Given::json("challenge", value))
    }
}

/// A challenge that was set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    #[serde(deserialize_with = "nonce")]
    nonce: Vec<u8>,
    audience: String,
    time: u64,
}

impl Set {
    /// The challenge.
    pub fn get(&self) -> Challenge<'_> {
        Challenge {
            nonce: &self.nonce,
            audience: &self.audience,
            time: self.time,
        }
    }
}

/// Refuses an empty nonce. A script that forgets the nonce would use it every time.
fn nonce<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let digits = String::deserialize(deserializer)?;
    let nonce = hex::decode(&digits).map_err(|error| {
        D::Error::custom(format_args!("expected hex: {}", input::describe(error)))
    })?;
    if nonce.is_empty() {
        return Err(D::Error::custom("expected at least one byte in hex"));
    }
    Ok(nonce)
}
