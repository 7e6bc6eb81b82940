//! Values from the command line: hex, files, standard input.
//!
//! Public values may be given as hex on the command line or in a file. A value
//! of hex digits only is hex; anything else is the name of a file (`./beef` is
//! the file `beef`). Secrets are never taken from the command line, where every
//! user of the machine can read them.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::error::Error;

/// Keys and proofs, in whatever form, are shorter than this many bytes.
const SMALL_FILE: usize = 16 * 1024;

/// A file, or standard input (`-`).
#[derive(Clone, Debug)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file of this name.
    File(PathBuf),
}

impl From<&str> for Source {
    fn from(name: &str) -> Self {
        match name {
            "-" => Self::Stdin,
            name => Self::File(name.into()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Source {
    /// Opens it for reading.
    pub fn open(&self) -> Result<Box<dyn Read>, Error> {
        match self {
            Self::Stdin => Ok(Box::new(io::stdin().lock())),
            Self::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(error)),
            },
        }
    }

    /// That it cannot be read, and why.
    pub fn unreadable(&self, fault: impl fmt::Display) -> Error {
        Error::at(format_args!("cannot read {self}"), fault)
    }

    /// The whole of a key or proof file. The buffer never moves while it grows,
    /// so that wiping it wipes every copy.
    pub fn read_small(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut content = Zeroizing::new(Vec::with_capacity(2 * SMALL_FILE));
        self.open()?
            .take(SMALL_FILE as u64 + 1)
            .read_to_end(&mut content)
            .map_err(|error| self.unreadable(error))?;
        if content.len() > SMALL_FILE {
            return Err(self.unreadable(format_args!(
                "expected a key or a proof, found more than {SMALL_FILE} bytes"
            )));
        }
        Ok(content)
    }
}

/// The input of the VRF.
#[derive(clap::Args)]
pub struct Alpha {
    /// alpha, the input of the VRF, in hex (may be empty)
    #[arg(long, value_name = "HEX", conflicts_with = "alpha_file")]
    alpha: Option<String>,
    /// File whose bytes are alpha; standard input when neither is given
    #[arg(long, value_name = "FILE")]
    alpha_file: Option<String>,
}

impl Alpha {
    /// The bytes of alpha.
    pub fn read(&self) -> Result<Vec<u8>, Error> {
        if let Some(digits) = &self.alpha {
            return hex::decode(digits).map_err(|error| not_hex("--alpha", error));
        }
        let source = self.source();
        let mut alpha = Vec::new();
        source
            .open()?
            .read_to_end(&mut alpha)
            .map_err(|error| source.unreadable(error))?;
        Ok(alpha)
    }

    /// Whether it will come from standard input.
    pub fn is_stdin(&self) -> bool {
        self.alpha.is_none() && matches!(self.source(), Source::Stdin)
    }

    fn source(&self) -> Source {
        Source::from(self.alpha_file.as_deref().unwrap_or("-"))
    }
}

/// Standard input can be read once: refuses a command line that wants it for
/// several values. `wanted` names the values, and whether each wants it.
pub fn one_stdin(wanted: &[(&str, bool)]) -> Result<(), Error> {
    let names: Vec<_> = wanted.iter().filter(|(_, stdin)| *stdin).collect();
    match names[..] {
        [(first, _), (second, _), ..] => Err(Error::new(format!(
            "standard input is wanted for {first} and for {second}: expected a file for one of them"
        ))),
        _ => Ok(()),
    }
}

/// The bytes of a public value given as `HEX`, `FILE` or `-`; a file may hold
/// the bytes or their hex.
pub fn public_bytes(what: &str, value: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    if is_hex(value.as_bytes()) {
        return decode(what, value.as_bytes());
    }
    let source = Source::from(value);
    let content = source.read_small().map_err(|error| match error {
        Error::Message(message) => Error::at(what, format_args!("not hex, and {message}")),
        other => other,
    })?;
    if is_hex(content.trim_ascii()) {
        decode(what, content.trim_ascii())
    } else {
        Ok(content)
    }
}

/// Whether there are hex digits and nothing else.
pub fn is_hex(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit)
}

fn decode(what: &str, digits: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    hex::decode(digits)
        .map(Zeroizing::new)
        .map_err(|error| not_hex(what, error))
}

fn not_hex(what: &str, error: hex::FromHexError) -> Error {
    Error::at(what, format_args!("expected hex: {}", describe(error)))
}

/// A fault in hex, in words that fit into a sentence.
pub fn describe(error: hex::FromHexError) -> String {
    match error {
        hex::FromHexError::InvalidHexCharacter { c, index } => {
            format!("character {} is {c:?}", index + 1)
        }
        hex::FromHexError::OddLength => "an odd number of digits".into(),
        hex::FromHexError::InvalidStringLength => "wrong number of digits".into(),
    }
}
