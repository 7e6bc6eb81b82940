//! What several commands take: payloads, challenges, limits.

use std::str::FromStr;

use klero_token::{Challenge, Limits};

use crate::error::Error;
use crate::input::{self, Source};

/// Bytes, in hex on the command line.
#[derive(Clone, Debug)]
pub struct Hex(pub Vec<u8>);

impl FromStr for Hex {
    type Err = String;

    fn from_str(digits: &str) -> Result<Self, String> {
        hex::decode(digits)
            .map(Self)
            .map_err(|error| format!("expected hex: {}", input::describe(error)))
    }
}

/// What a block says.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct Payload {
    /// What the block says: this text
    #[arg(long, value_name = "TEXT")]
    payload: Option<String>,
    /// What the block says: these bytes
    #[arg(long, value_name = "HEX")]
    payload_hex: Option<Hex>,
    /// What the block says: the bytes of this file
    #[arg(long, value_name = "FILE")]
    payload_file: Option<String>,
}

impl Payload {
    /// The bytes; from a file no more than a token may have.
    pub fn read(&self, limits: &Limits) -> Result<Vec<u8>, Error> {
        if let Some(source) = self.source() {
            // No more than the largest token (--max-bytes) has room for.
            return source.read(limits.bytes as u64);
        }
        Ok(match (&self.payload, &self.payload_hex) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(Hex(bytes))) => bytes.clone(),
            (None, None) => Vec::new(),
        })
    }

    /// Whether it will come from standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self.source(), Some(Source::Stdin))
    }

    fn source(&self) -> Option<Source> {
        self.payload_file.as_deref().map(Source::from)
    }
}

/// The challenge of a verifier.
#[derive(clap::Args)]
#[group(id = "challenge", multiple = true)]
pub struct ChallengeArgs {
    /// The challenge: bytes that the verifier never chose before, 16 random ones or more
    #[arg(long, value_name = "HEX", value_parser = nonce, requires = "audience", requires = "time")]
    nonce: Option<Hex>,
    /// The challenge: who the token is shown to
    #[arg(long, value_name = "TEXT", requires = "nonce", requires = "time")]
    audience: Option<String>,
    /// The challenge: when it was made, in seconds since 1970 (no clock is asked)
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "nonce",
        requires = "audience"
    )]
    time: Option<u64>,
}

/// A nonce that is forgotten in a script would be the same each time.
fn nonce(digits: &str) -> Result<Hex, String> {
    let nonce: Hex = digits.parse()?;
    if nonce.0.is_empty() {
        return Err("expected at least one byte".into());
    }
    Ok(nonce)
}

impl ChallengeArgs {
    /// The challenge, if there is one.
    pub fn get(&self) -> Option<Challenge<'_>> {
        Some(Challenge {
            nonce: &self.nonce.as_ref()?.0,
            audience: self.audience.as_deref()?,
            time: self.time?,
        })
    }
}

/// The largest token.
#[derive(clap::Args)]
pub struct LimitArgs {
    /// The most blocks that a token may have
    #[arg(long, value_name = "N", default_value_t = Limits::default().blocks)]
    max_blocks: u32,
    /// The most bytes that a token may have (its text has a third more)
    #[arg(long, value_name = "N", default_value_t = Limits::default().bytes)]
    max_bytes: usize,
}

impl LimitArgs {
    /// The limits.
    pub fn get(&self) -> Limits {
        Limits {
            blocks: self.max_blocks,
            bytes: self.max_bytes,
        }
    }
}
