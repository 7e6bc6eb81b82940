//! Arguments of several commands: payloads, challenges, limits.

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

/// The payload of a block.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub struct Payload {
    /// Payload of the block: this text
    #[arg(long, value_name = "TEXT")]
    payload: Option<String>,
    /// Payload of the block: these bytes
    #[arg(long, value_name = "HEX")]
    payload_hex: Option<Hex>,
    /// Payload of the block: the bytes of this file
    #[arg(long, value_name = "FILE")]
    payload_file: Option<String>,
}

impl Payload {
    /// The bytes of the payload.
    pub fn read(&self, limits: &Limits) -> Result<Vec<u8>, Error> {
        if let Some(source) = self.source() {
            // No more than the largest token (--max-bytes) can contain.
            return source.read(limits.bytes as u64);
        }
        Ok(match (&self.payload, &self.payload_hex) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(Hex(bytes))) => bytes.clone(),
            (None, None) => Vec::new(),
        })
    }

    /// Whether it is read from standard input.
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
    /// The challenge: bytes that the verifier never used before, at least 16 random ones
    #[arg(long, value_name = "HEX", value_parser = nonce, requires = "audience", requires = "time")]
    nonce: Option<Hex>,
    /// The challenge: whom the token is shown to
    #[arg(long, value_name = "TEXT", requires = "nonce", requires = "time")]
    audience: Option<String>,
    /// The challenge: when it was made, in seconds since 1970 (never read from the clock)
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "nonce",
        requires = "audience"
    )]
    time: Option<u64>,
}

/// Refuses an empty nonce. A script that forgets the nonce would use it every time.
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

/// The limits of a token.
#[derive(clap::Args)]
pub struct LimitArgs {
    /// Most signatures of a token, of all blocks, statements and the seal (default: 64, and of
    /// blocks and the seal in scheme bls, where each takes a pairing, 16)
    #[arg(long, value_name = "N")]
    max_signatures: Option<u32>,
    /// Most bytes of a token (its text is a third longer)
    #[arg(long, value_name = "N", default_value_t = Limits::default().bytes)]
    max_bytes: usize,
}

impl LimitArgs {
    /// The limits.
    pub fn get(&self) -> Limits {
        let limits = Limits::default();
        Limits {
            signatures: self.max_signatures.unwrap_or(limits.signatures),
            pairings: self.max_signatures.unwrap_or(limits.pairings),
            bytes: self.max_bytes,
            ..limits
        }
    }
}
