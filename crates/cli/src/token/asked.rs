//! The challenge that commands are given: `--challenge`.

use klero_token::Challenge;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::document;
use super::given::Given;
use crate::error::Error;
use crate::input;

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
    pub fn read(&self) -> Result<Option<Asked>, Error> {
        self.given().as_ref().map(document::read).transpose()
    }

    fn given(&self) -> Option<Given> {
        let value = self.challenge.as_deref()?;
        Some(Given::json("challenge", value))
    }
}

/// The challenge that a verifier asked a holder to answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    #[serde(deserialize_with = "nonce")]
    nonce: Vec<u8>,
    audience: String,
    time: u64,
}

impl Asked {
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
    let nonce = input::decode_hex(&digits)
        .map_err(|fault| D::Error::custom(format_args!("expected hex: {fault}")))?;
    if nonce.is_empty() {
        return Err(D::Error::custom("expected at least one byte in hex"));
    }
    Ok(nonce)
}
