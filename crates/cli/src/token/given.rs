//! Tokens, requests, statements, challenges and public keys as the command line has them: the text
//! itself, a file with it, or `-` for standard input.
//!
//! Each kind of text is known by how it begins. Any other value is the name of a file (`./S1Q` is
//! the file `S1Q`). Secret keys are never given in this way.

use std::fmt::{self, Display};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use klero_token::Scheme;
use zeroize::Zeroizing;

use crate::error::Error;
use crate::input::Source;
use crate::secrets::is_damaged_token;

/// A value, and what it is.
pub struct Given {
    what: &'static str,
    origin: Origin,
}

enum Origin {
    Argument(Zeroizing<String>),
    Source(Source),
}

impl Given {
    /// A token, a request or a statement, all of which begin with the same bytes.
    pub fn encoded(what: &'static str, value: &str) -> Self {
        // A damaged token is one too: no error repeats it as if it were the name of a file.
        let is_damaged = || is_damaged_token(value.as_bytes()) && !Path::new(value).exists();
        Self::new(what, value, value.starts_with("S1Q") || is_damaged())
    }

    /// A JSON object.
    pub fn json(what: &'static str, value: &str) -> Self {
        Self::new(what, value, value.trim_start().starts_with('{'))
    }

    /// A public key, whose text begins with the name of its scheme.
    pub fn key(what: &'static str, value: &str) -> Self {
        let name = value.split_once(':').map(|(name, _)| name);
        Self::new(
            what,
            value,
            name.is_some_and(|name| Scheme::named(name).is_some()),
        )
    }

    fn new(what: &'static str, value: &str, is_text: bool) -> Self {
        let origin = match is_text {
            true => Origin::Argument(Zeroizing::new(value.to_owned())),
            false => Origin::Source(Source::from(value)),
        };
        Self { what, origin }
    }

    /// What it is.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// Whether it is read from standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(self.origin, Origin::Source(Source::Stdin))
    }

    /// Whether it stands on the command line, where other users can see it.
    pub fn is_argument(&self) -> bool {
        matches!(self.origin, Origin::Argument(_))
    }

    /// Opens it for reading.
    pub fn open(&self) -> Result<Box<dyn BufRead + '_>, Error> {
        Ok(match &self.origin {
            Origin::Argument(text) => Box::new(text.as_bytes()),
            Origin::Source(Source::Stdin) => Box::new(io::stdin().lock()),
            Origin::Source(source) => Box::new(BufReader::new(source.open(self.what)?)),
        })
    }

    /// All of it, if it is small.
    pub fn read_small(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        match &self.origin {
            Origin::Argument(text) => Ok(Zeroizing::new(text.as_bytes().to_vec())),
            Origin::Source(source) => source.read_small(self.what),
        }
    }

    /// An error: it cannot be read, and why.
    pub fn unreadable(&self, fault: impl Display) -> Error {
        Error::at(format_args!("cannot read the {self}"), fault)
    }
}

/// What it is, and where it comes from.
impl Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Argument(_) => write!(f, "{} on the command line", self.what),
            Origin::Source(source @ Source::Stdin) => write!(f, "{} on {source}", self.what),
            Origin::Source(source) => write!(f, "{} in {source}", self.what),
        }
    }
}
