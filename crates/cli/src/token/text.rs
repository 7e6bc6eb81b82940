//! The text of tokens, read from standard input and written, and the errors in it.

use std::io;

use klero_token::{Error as Fault, Limits, Scheme, Unverified, Verified, scheme_of_text};
use zeroize::Zeroizing;

use super::lines::{Line, Lines};
use super::scheme::SchemeName;
use crate::error::Error;
use crate::stdout::print;

/// The text of a token. Its header names the scheme.
pub struct Text {
    /// The scheme.
    pub scheme: SchemeName,
    text: Zeroizing<String>,
}

impl Text {
    /// Reads a line.
    fn new(line: &Line<'_>, limits: &Limits) -> Result<Self, String> {
        let bytes = line.content.map_err(|length| {
            describe(&Fault::TooLong {
                bytes: length / 4 * 3,
                limit: limits.bytes,
            })
        })?;
        if let Some(at) = bytes.iter().position(|byte| !is_base64url(*byte)) {
            return Err(format!(
                "character {} is not of base64url without padding (A-Z a-z 0-9 - _)",
                at + 1
            ));
        }
        // Base64url is ASCII.
        let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let name = scheme_of_text(text).map_err(|fault| describe(&fault))?;
        Ok(Self {
            scheme: SchemeName::named(name).ok_or_else(|| format!("unknown scheme {name}"))?,
            text: Zeroizing::new(text.to_owned()),
        })
    }

    /// The number of bytes that it encodes.
    pub fn bytes(&self) -> usize {
        self.text.len() * 3 / 4
    }

    /// Decodes the token. No signature is checked.
    pub fn decode<S: Scheme>(&self, limits: &Limits) -> Result<Unverified<S>, String> {
        Unverified::from_text(&self.text, limits).map_err(|fault| describe(&fault))
    }
}

/// The number of a line, and its token's text or why it has none.
pub type Numbered = (usize, Result<Text, String>);

/// The tokens on standard input, one per line. Blank lines are skipped.
pub struct Tokens<'a> {
    lines: Lines<io::StdinLock<'static>>,
    limits: &'a Limits,
}

impl<'a> Tokens<'a> {
    /// Tokens no longer than the limits allow.
    pub fn new(limits: &'a Limits) -> Self {
        // Three bytes are encoded in four characters.
        let longest = (limits.bytes / 3 + 1).saturating_mul(4);
        Self {
            lines: Lines::new(io::stdin().lock(), longest),
            limits,
        }
    }

    /// The next line that is not blank.
    pub fn next(&mut self) -> Result<Option<Numbered>, Error> {
        let line = self.lines.next().map_err(|error| unreadable(&error))?;
        Ok(line.map(|line| (line.number, Text::new(&line, self.limits))))
    }
}

/// The one token on standard input.
pub fn read_one(limits: &Limits) -> Result<Text, Error> {
    let mut tokens = Tokens::new(limits);
    let (_, text) = tokens.next()?.ok_or_else(nothing)?;
    let text = text.map_err(|fault| unreadable(&fault))?;
    match tokens.next()? {
        None => Ok(text),
        Some((line, _)) => Err(unreadable(&format_args!(
            "expected one token, found another on line {line}"
        ))),
    }
}

/// The error for empty standard input.
pub fn nothing() -> Error {
    unreadable(&"expected a token, found nothing")
}

/// The error for a token on standard input that cannot be read.
pub fn unreadable(fault: &dyn std::fmt::Display) -> Error {
    Error::at("cannot read the token on standard input", fault)
}

/// Writes a token. One that exceeds the limits is an error: it could not be read again.
pub fn write<S: Scheme>(token: &Verified<S>, limits: &Limits) -> Result<(), Error> {
    let cannot = |fault: Fault| Error::at("cannot make the token", describe(&fault));
    let text = token.to_text().map_err(cannot)?;
    Unverified::<S>::from_text(&text, limits).map_err(cannot)?;
    print(format_args!("{}\n", *text))
}

/// A fault, with the option that may help.
pub fn describe(fault: &Fault) -> String {
    match fault {
        Fault::TooLong { .. } => format!("{fault} (--max-bytes)"),
        Fault::TooManySignatures { .. } => format!("{fault} (--max-signatures)"),
        Fault::UnknownRoot(_) => format!("{fault} (--root ID=FILE)"),
        fault => fault.to_string(),
    }
}

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
