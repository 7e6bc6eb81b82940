//! Arguments that several commands of `klero token` share: payloads, caveats, limits, and the output file.

use std::io::Write;
use std::path::PathBuf;

use klero_support::{Options, Output};
use klero_token::{Caveat, Error as Fault, Limits, Token};

use super::clock;
use crate::args::choice;
use crate::args::secrets::repeats_secret;
use crate::args::source::{self, Source};
use crate::ui::error::Error;
use crate::ui::terminal::print;

/// The payload of a block.
#[derive(clap::Args)]
#[group(id = "payloads", multiple = false)]
pub struct Payload {
    /// Payload of the block: this text
    #[arg(long, value_name = "TEXT")]
    payload: Option<String>,
    /// Payload of the block: these bytes
    #[arg(long, value_name = "HEX", value_parser = hex)]
    payload_hex: Option<Box<[u8]>>,
    /// Payload of the block: the bytes of this file
    #[arg(long, value_name = "FILE|-")]
    payload_file: Option<Source>,
}

impl Payload {
    /// The bytes of the payload.
    pub fn read(&self, limits: &Limits) -> Result<Vec<u8>, Error> {
        Ok(
            match (&self.payload, &self.payload_hex, &self.payload_file) {
                (Some(text), ..) => text.clone().into_bytes(),
                (_, Some(bytes), _) => bytes.to_vec(),
                // The file may have at most as many bytes as a token (--max-bytes).
                (.., Some(source)) => source.read("--payload-file", limits.bytes as u64)?,
                _ => Vec::new(),
            },
        )
    }

    /// A pair: the name of the option for the payload's file, and true if it is read from standard input.
    pub fn stdin(&self) -> (&'static str, bool) {
        let is_stdin = self.payload_file.as_ref().is_some_and(Source::is_stdin);
        ("--payload-file", is_stdin)
    }
}

fn hex(digits: &str) -> Result<Box<[u8]>, String> {
    let bytes = source::decode_hex(digits);
    bytes
        .map(Vec::into_boxed_slice)
        .map_err(|fault| format!("expected hex: {fault}"))
}

/// The caveats of a block.
#[derive(clap::Args)]
#[group(id = "narrowing", multiple = true)]
pub struct CaveatArgs {
    /// Caveat of the block, such as 'method GET HEAD'; may be repeated (all must hold)
    #[arg(long = "caveat", value_name = "CAVEAT", value_parser = caveat)]
    caveats: Vec<Caveat>,
    /// Caveat `before`, whose time is a duration from now (90s, 15m, 2h, 7d, 4w), or a date
    /// (2026-11-23T06:15:00Z)
    #[arg(long, value_name = "TIME", value_parser = clock::expires)]
    expires: Option<Caveat>,
}

impl CaveatArgs {
    /// All caveats of the block.
    pub fn get(&self) -> Vec<Caveat> {
        self.caveats.iter().chain(&self.expires).cloned().collect()
    }
}

/// The forms of caveats, for help texts.
pub const CAVEATS: &str = "\
Caveats:
  before TIME        now < TIME, written 2026-11-23T06:15:00Z
  after TIME         now >= TIME
  audience NAME      the service is NAME
  path PREFIX        the path of the request begins with the segments of PREFIX
  method NAME...     the method is one of these
  NAME = VALUE       the field NAME of the request is VALUE
  NAME in VALUE...   the field is one of these, none of which has a space
  NAME at most N     the field is an integer, and not above N
  NAME at least N    the field is an integer, and not below N
  vouched KEY TEXT   the third party with this key stated exactly TEXT, in a later block
  depth N            at most N blocks follow this one";

fn caveat(text: &str) -> Result<Caveat, String> {
    text.parse().map_err(|fault| {
        let Fault::Caveat { what, advice, .. } = fault else {
            return fault.to_string();
        };
        let word = text.split([' ', '=']).next().unwrap_or_default();
        match choice::near(&Caveat::WORDS, word) {
            // The text does not have the form of any caveat.
            Some(word) if what.starts_with("expected `before TIME`") => {
                format!("no caveat begins like this: did you mean `{word}`?")
            }
            // The text may be a secret, so the message does not repeat it.
            _ if repeats_secret(&advice) => what.to_owned(),
            _ => advice,
        }
    })
}

/// The limits of a token.
#[derive(clap::Args)]
pub struct LimitArgs {
    /// Largest number of signatures in a token: one for each block, each statement and the seal
    #[arg(long, value_name = "N", default_value_t = Limits::default().signatures)]
    max_signatures: u32,
    /// Largest number of bytes in a token (its text is a third longer)
    #[arg(long, value_name = "N", default_value_t = Limits::default().bytes)]
    max_bytes: usize,
}

impl LimitArgs {
    /// The limits.
    pub fn get(&self) -> Limits {
        Limits {
            signatures: self.max_signatures,
            bytes: self.max_bytes,
            ..Limits::default()
        }
    }
}

/// The output file of a command. An existing file is replaced only with `--force`.
#[derive(clap::Args)]
pub struct OutArgs {
    /// File to write to instead of standard output; if it contains a token, only the file's owner can read it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "out")]
    force: bool,
}

impl OutArgs {
    /// Writes a token.
    pub fn token(&self, token: &Token) -> Result<(), Error> {
        let text = token.to_text();
        let text = text.map_err(|fault| Error::at("cannot make the token", fault))?;
        self.write(&text, true)
    }

    /// Writes a line that anyone may read.
    pub fn public(&self, line: &str) -> Result<(), Error> {
        self.write(line, false)
    }

    fn write(&self, line: &str, secret: bool) -> Result<(), Error> {
        let Some(path) = &self.out else {
            return print(format_args!("{line}\n"));
        };
        let replace = self.force;
        let file = Output::create_with(path, Options { secret, replace });
        let mut file = file.map_err(Error::not_written)?;
        writeln!(file, "{line}").map_err(|error| Error::write(file.name(), &error))?;
        file.commit().map_err(Error::not_written)
    }
}
