//! Tokens, requests, statements, challenges and public keys as the command line gives them: the text itself,
//! a file with it, or `-` for standard input.
//!
//! A value that begins like such a text is that text. Any other is the name of a file (`./S1Q` for `S1Q`).
//! Secret keys cannot be given in this way.

use std::convert::Infallible;
use std::fmt::{self, Display};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use klero_token::{Error as Fault, Limits, Scheme, Token};
use serde::de::DeserializeOwned;
use serde_json::Deserializer;
use zeroize::Zeroizing;

use crate::args::secrets::{HIDDEN, is_base64url, is_damaged_token, repeats_secret};
use crate::args::source::Source;
use crate::ui::error::Error;
use crate::ui::terminal::say;

/// A value from the command line, and the words for its kind.
#[derive(Clone)]
pub struct Given {
    what: &'static str,
    origin: Origin,
}

#[derive(Clone)]
enum Origin {
    Argument(Zeroizing<String>),
    Source(Source),
}

impl Given {
    /// A token, a request or a statement. All three begin with the same bytes.
    pub fn encoded(what: &'static str, value: &str) -> Result<Self, Infallible> {
        // A damaged token is taken as text, too. As the name of a file, it would be repeated in an error.
        let is_damaged = || is_damaged_token(value.as_bytes()) && !Path::new(value).exists();
        let is_text = value.starts_with("S1Q") || is_damaged();
        Ok(Self::new(what, value, is_text))
    }

    /// A JSON object.
    pub fn json(what: &'static str, value: &str) -> Result<Self, Infallible> {
        Ok(Self::new(what, value, value.trim_start().starts_with('{')))
    }

    /// The public key of an issuer. Its text begins with the name of its scheme.
    pub fn key(value: &str) -> Self {
        let name = value.split_once(':').map(|(name, _)| name);
        let is_key = name.is_some_and(|name| Scheme::named(name).is_some());
        Self::new("public key", value, is_key)
    }

    fn new(what: &'static str, value: &str, is_text: bool) -> Self {
        let origin = match is_text {
            true => Origin::Argument(Zeroizing::new(value.to_owned())),
            false => Origin::Source(Source::from(value)),
        };
        Self { what, origin }
    }

    /// True if the value is read from standard input.
    pub fn is_stdin(&self) -> bool {
        matches!(&self.origin, Origin::Source(source) if source.is_stdin())
    }

    /// Reads the whole value, which must be small.
    pub fn read_small(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        match &self.origin {
            Origin::Argument(text) => Ok(Zeroizing::new(text.as_bytes().to_vec())),
            Origin::Source(source) => source.read_small(self.what),
        }
    }

    /// Reads the value as a JSON object. The error states the field, the line and the column of a fault.
    pub fn object<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let content = self.read_small()?;
        object(&content).map_err(|fault| self.unreadable(fault))
    }

    /// Applies `read` to the line of a value, which must have exactly one. Returns the result, or the fault.
    pub fn one<T>(
        &self,
        limits: &Limits,
        read: impl Fn(&str) -> Result<T, Fault>,
    ) -> Result<Result<T, String>, Error> {
        let mut texts = Texts::open(self, limits)?;
        let Some((_, read)) = texts.next(read)? else {
            return Ok(Err(texts.nothing()));
        };
        let Ok(read) = read else {
            return Ok(read);
        };
        let what = self.what;
        Ok(match texts.next(|_| Ok(()))? {
            None => Ok(read),
            Some((line, _)) => Err(format!("expected one {what}, found another on line {line}")),
        })
    }

    /// Returns the only token of the value, or the reason why there is none.
    pub fn token(&self, limits: &Limits) -> Result<Result<Token, String>, Error> {
        self.one(limits, |text| self.decode(text, limits))
    }

    /// Decodes a token. Warns if other users can see and use the token.
    fn decode(&self, text: &str, limits: &Limits) -> Result<Token, Fault> {
        let token = Token::from_text(text, limits)?;
        let is_argument = matches!(self.origin, Origin::Argument(_));
        if is_argument && !token.is_sealed() && !token.is_held() {
            say(
                "klero: warning: other users of this machine can see the token on the command \
                 line, and use it; they do not see a file or standard input",
            );
        }
        Ok(token)
    }

    /// Returns an error which says that this value cannot be read, with `fault` as the reason.
    pub fn unreadable(&self, fault: impl Display) -> Error {
        Error::at(format_args!("cannot read the {self}"), fault)
    }
}

/// Shows the kind of the value and its origin.
impl Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Argument(_) => write!(f, "{} on the command line", self.what),
            Origin::Source(source @ Source::Stdin) => write!(f, "{} on {source}", self.what),
            Origin::Source(source) => write!(f, "{} in {source}", self.what),
        }
    }
}

fn object<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    // Serde would also accept an array of the members' values, without their names.
    if !json.trim_ascii_start().starts_with(b"{") {
        return Err("expected a JSON object".into());
    }
    let mut reader = Deserializer::from_slice(json);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (line, column) = (error.inner().line(), error.inner().column());
        let (field, fault) = (error.path().to_string(), error.inner().to_string());
        let fault = match fault.rsplit_once(", expected ") {
            _ if !repeats_secret(&fault) => fault,
            // `expected` ends with the line and the column.
            Some((_, expected)) if !repeats_secret(expected) => {
                format!("{HIDDEN}, expected {expected}")
            }
            _ => format!("{HIDDEN} at line {line} column {column}"),
        };
        match field.as_str() {
            // The path `.` is the whole object, so no field is named.
            "." => fault,
            field if repeats_secret(field) => format!("{HIDDEN}: {fault}"),
            field => format!("{field}: {fault}"),
        }
    })?;
    reader.end().map_err(|fault| fault.to_string())?;
    Ok(read)
}

/// The number of a line that is not blank, and the line's content or result. `None` after the last line.
/// Numbers begin with 1, and blank lines are counted.
type Numbered<T> = Option<(usize, T)>;

/// Lines of base64url.
pub struct Texts<'a> {
    given: &'a Given,
    lines: Lines<Box<dyn BufRead + 'a>>,
    limits: Limits,
}

impl<'a> Texts<'a> {
    /// Opens a value to read its lines. A line that is longer than the limits allow is a fault.
    pub fn open(given: &'a Given, limits: &Limits) -> Result<Self, Error> {
        // Three bytes are encoded in four characters.
        let longest = (limits.bytes / 3 + 1).saturating_mul(4);
        let input: Box<dyn BufRead + 'a> = match &given.origin {
            Origin::Argument(text) => Box::new(text.as_bytes()),
            Origin::Source(source) => Box::new(BufReader::new(source.open(given.what)?)),
        };
        Ok(Self {
            given,
            lines: Lines::new(input, longest),
            limits: *limits,
        })
    }

    /// Applies `read` to the next line. Returns the result, or the fault of the line.
    fn next<T>(
        &mut self,
        read: impl Fn(&str) -> Result<T, Fault>,
    ) -> Result<Numbered<Result<T, String>>, Error> {
        let line = self.lines.next();
        let line = line.map_err(|error| self.given.unreadable(error))?;
        Ok(line.map(|(number, content)| {
            let text = text(content, &self.limits);
            let read = text.and_then(|text| read(text).map_err(|fault| describe(&fault)));
            (number, read)
        }))
    }

    /// Decodes the token in the next line. Returns the token or the fault of the line.
    pub fn next_token(&mut self) -> Result<Numbered<Result<Token, String>>, Error> {
        let (given, limits) = (self.given, self.limits);
        self.next(|text| given.decode(text, &limits))
    }

    /// The fault of an input that has no line.
    pub fn nothing(&self) -> String {
        format!("expected a {}, found nothing", self.given.what)
    }
}

/// Returns the text of a line or its fault. If the line is too long, `content` is its number of bytes.
fn text<'a>(content: Result<&'a [u8], usize>, limits: &Limits) -> Result<&'a str, String> {
    let bytes = content.map_err(|length| {
        describe(&Fault::TooLarge {
            what: "bytes",
            got: length / 4 * 3,
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
    str::from_utf8(bytes).map_err(|error| error.to_string())
}

/// The memory reserved for a line, in bytes. Only for a longer line may the buffer move in memory, and leave
/// behind a copy of its content that is never wiped.
const ROOM: usize = 128 * 1024;

/// Lines of bounded length.
pub struct Lines<R> {
    input: R,
    limit: usize,
    number: usize,
    buffer: Zeroizing<Vec<u8>>,
}

impl<R: BufRead> Lines<R> {
    /// A reader of lines of up to `limit` bytes.
    pub fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            number: 0,
            buffer: Zeroizing::new(Vec::with_capacity(ROOM.min(limit.saturating_add(2)))),
        }
    }

    /// Reads the next line that is not blank. Returns its number, and its text without surrounding white
    /// space. If the line is too long, returns its length in bytes instead of the text.
    pub fn next(&mut self) -> io::Result<Numbered<Result<&[u8], usize>>> {
        loop {
            self.buffer.clear();
            self.number += 1;
            // Room for the end of the line, "\r\n".
            let most = self.limit.saturating_add(2) as u64;
            let read = (&mut self.input)
                .take(most)
                .read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                return Ok(None);
            }
            let rest = match self.buffer.last() {
                Some(b'\n') => 0,
                _ => self.input.skip_until(b'\n')?,
            };
            if rest > 0 || self.buffer.trim_ascii().len() > self.limit {
                return Ok(Some((self.number, Err(read.saturating_add(rest)))));
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some((self.number, Ok(self.buffer.trim_ascii()))))
    }
}

/// Describes a fault, and adds the option that may help.
pub fn describe(fault: &Fault) -> String {
    let option = match fault {
        Fault::TooLarge { what: "bytes", .. } => "--max-bytes",
        Fault::TooLarge { what, .. } if what.starts_with("signatures") => "--max-signatures",
        Fault::UnknownRoot(_) => "--root ID=KEY",
        Fault::Passkey { what, .. } if what.contains("relying party") => "--rp-id",
        Fault::Passkey { what, .. } if what.contains("origin that") => "--origin",
        Fault::Passkey { what, .. } if what.contains("user was not verified") => {
            "--user-verification"
        }
        _ => return fault.to_string(),
    };
    format!("{fault} ({option})")
}

/// The error for a token that was not made. A token above the limits is not made, because it could not be
/// read again.
pub fn not_made(doing: &str, fault: &Fault) -> Error {
    let doing = match fault {
        Fault::TooLarge { .. } => "cannot make the token",
        _ => doing,
    };
    Error::at(doing, describe(fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, limit: usize) -> Vec<(usize, Result<Vec<u8>, usize>)> {
        let mut lines = Lines::new(text.as_bytes(), limit);
        let mut all = Vec::new();
        while let Some((number, content)) = lines.next().unwrap() {
            all.push((number, content.map(<[u8]>::to_vec)));
        }
        all
    }

    #[test]
    fn lines_are_trimmed_numbered_and_bounded() {
        let ok = |text: &str| Ok(text.as_bytes().to_vec());
        assert_eq!(all("", 4), []);
        assert_eq!(all("\n \r\n\t", 4), []);
        assert_eq!(all("abcd", 4), [(1, ok("abcd"))]);
        assert_eq!(
            all("abcd\r\n\n abc\nab\n", 4),
            [(1, ok("abcd")), (3, ok("abc")), (4, ok("ab"))]
        );
        // Lines near the limit, and far above it.
        assert_eq!(all("abcde\nx", 4), [(1, Err(6)), (2, ok("x"))]);
        assert_eq!(all("abcdef\nx", 4), [(1, Err(7)), (2, ok("x"))]);
        assert_eq!(all("abcdefghijkl\nx\n", 4), [(1, Err(13)), (2, ok("x"))]);
        assert_eq!(all("abcdefghijkl", 4), [(1, Err(12))]);
        assert_eq!(all("abcd\r", 4), [(1, ok("abcd"))]);
    }
}
