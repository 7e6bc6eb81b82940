//! Caveats: the conditions that a token carries. All of them must hold. A holder can only add more.
//!
//! Every caveat has exactly one text, which is a line:
//! ```text
//! before TIME       now < TIME; a time is written 2026-11-23T06:15:00Z
//! after TIME        now ≥ TIME
//! audience NAME     the service is NAME
//! path PREFIX       the path of the request begins with the segments of PREFIX
//! method NAME…      the method of the request is one of these
//! NAME = VALUE      the field NAME of the request is VALUE
//! NAME in VALUE…    the field NAME of the request is one of these values, which contain no space
//! NAME at most N    the field NAME of the request is an integer, and not above N
//! NAME at least N   the field NAME of the request is an integer, and not below N
//! vouched KEY TEXT  the third party with this key stated exactly TEXT, in a later block, and the
//!                   statement has not expired
//! depth N           at most N blocks follow this one
//! ```
//! One space separates words. The NAME of an audience, a PREFIX, the VALUE after `=` and a TEXT extend to the
//! end of the line. They, and each VALUE after `in`, have no control characters, and no space at either end.
//! Integers, in caveats and in requests, are from 0 to 2^64 - 1, in decimal and without leading zeros.
//! The NAME of a field consists of `a-z`, `0-9`, `_`, `.` and `-`, begins with a letter, and is not a word
//! that begins another caveat. A line that begins with such a word but reads like a caveat on a field is
//! refused: `audience in a b` is not a caveat. A block has one caveat per line, and no line feed at the end.
//!
//! To add a new kind of caveat, extend: `WORDS`; in `access.rs`, the comparison and the text of `stated`; the
//! help in `klero-cli`; the second implementation in `tests/twin/caveats.rs`; `vectors/tokens/caveats.json`;
//! docs/tokens.md.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};

use crate::error::Error;
use crate::key::PublicKey;
use crate::path::normal;

/// A condition on requests.
///
/// A caveat is parsed from its text, or built as a value of this type. Some values have no canonical text,
/// such as a path that is not in normal form. Such a value cannot be added to a token.
///
/// ```
/// use klero_token::Caveat;
/// let caveat: Caveat = "before 2027-01-15T08:00:00Z".parse()?;
/// assert_eq!(caveat, Caveat::Before(1_800_000_000));
/// assert_eq!(caveat.to_string(), "before 2027-01-15T08:00:00Z");
/// assert!("before noon".parse::<Caveat>().is_err());
/// assert!("unless raining".parse::<Caveat>().is_err());
/// # Ok::<(), klero_token::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caveat {
    /// The time of the request is before this time, in seconds since 1970.
    Before(u64),
    /// The time of the request is this time or later, in seconds since 1970.
    After(u64),
    /// The service has this name.
    Audience(String),
    /// The path of the request is this path or a path below it. See [`normal_path`](crate::normal_path).
    Path(String),
    /// The method of the request is one of these methods.
    Method(Vec<String>),
    /// A field of the request has this value.
    Field {
        /// The name of the field that has the value.
        name: String,
        /// The value of the field.
        value: String,
    },
    /// A field of the request has one of these values.
    OneOf {
        /// The name of the field that has one of the values.
        name: String,
        /// The values, one or more, without spaces.
        values: Vec<String>,
    },
    /// A field of the request is an integer that is at most `most`.
    AtMost {
        /// The name of the field with an upper bound.
        name: String,
        /// The largest value.
        most: u64,
    },
    /// A field of the request is an integer that is at least `least`.
    AtLeast {
        /// The name of the field with a lower bound.
        name: String,
        /// The smallest value.
        least: u64,
    },
    /// A later block of the token has this statement by this third party, and the statement has not expired.
    Vouched {
        /// The key of the third party.
        key: PublicKey,
        /// The whole text of the statement, except its expiry.
        text: String,
    },
    /// At most this many blocks, including statements, follow the block with the caveat. A seal is no block.
    Depth(u64),
}

impl Caveat {
    /// The words that begin all caveats except those on fields. None of these words can be a field's name.
    pub const WORDS: [&str; 7] = [
        "before", "after", "audience", "path", "method", "vouched", "depth",
    ];
}

/// Parses only the canonical text of a caveat.
impl FromStr for Caveat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        canonical(text).map_err(|what| no_caveat(text, what, slip_of(text.trim())))
    }
}

/// The fault of a text that does not begin like any caveat.
const UNKNOWN: &str = "expected `before TIME`, `after TIME`, `audience NAME`, `path PREFIX`, \
                       `method NAME...`, `NAME = VALUE`, `NAME in VALUE...`, `NAME at most N`, \
                       `NAME at least N`, `vouched KEY TEXT` or `depth N`, with a time such as \
                       2026-11-23T06:15:00Z, a path such as /files and a key such as ed25519:...";
const TIME: &str = "expected a time in UTC since 1970, such as 2026-11-23T06:15:00Z";
const VOUCHED: &str = "expected the key of a third party such as ed25519:..., and a text";
/// The fault of a text that is nearly a caveat on a field.
const FIELD: &str = "expected `NAME = VALUE`, with one space on each side of =, and a name of \
                     a-z, 0-9, _, . and - that begins with a letter";
const INTEGER: &str = "expected an integer from 0 to 18446744073709551615, such as 100";

/// The error for a text that is not a caveat. `meant` is the text of the caveat that was probably meant, or
/// `None` if there is none that an error message can repeat.
pub(crate) fn no_caveat(text: &str, what: &'static str, meant: Option<String>) -> Error {
    let advice = match meant {
        None => what.into(),
        // The suggested caveat already shows what was expected.
        Some(meant) if what == UNKNOWN || what == FIELD => format!("write `{meant}`"),
        Some(meant) => format!("{what}: write `{meant}`"),
    };
    let text = text.into();
    Error::Caveat { text, what, advice }
}

/// Parses a text, and refuses it if it is not canonical.
pub(crate) fn canonical(text: &str) -> Result<Caveat, &'static str> {
    let caveat = parse(text)?;
    match caveat.to_string() == text {
        true => Ok(caveat),
        false => Err("a caveat is written in one way only"),
    }
}

/// Parses a text that need not be canonical.
fn parse(line: &str) -> Result<Caveat, &'static str> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    if Caveat::WORDS.contains(&word) && is_field_form(rest) {
        return Err("before, after, audience, path, method, vouched and depth are no fields");
    }
    Ok(match word {
        "before" => Caveat::Before(parse_time(rest)?),
        "after" => Caveat::After(parse_time(rest)?),
        "audience" => Caveat::Audience(text(rest)?),
        "path" => {
            let path = normal(rest)?;
            text(rest)?;
            Caveat::Path(path)
        }
        "method" => Caveat::Method(rest.split(' ').map(method).collect::<Result<_, _>>()?),
        "vouched" => {
            let (key, said) = rest.split_once(' ').ok_or(VOUCHED)?;
            Caveat::Vouched {
                key: third_party(key).ok_or(VOUCHED)?,
                text: text(said)?,
            }
        }
        "depth" => Caveat::Depth(integer(rest).ok_or(INTEGER)?),
        name => on_field(name, rest)?,
    })
}

/// Parses the key of a third party. An issuer's key is refused, because such keys make no statements.
fn third_party(text: &str) -> Option<PublicKey> {
    let key: PublicKey = text.parse().ok()?;
    key.kind().scheme().is_none().then_some(key)
}

/// True if the text begins like a caveat on a field from which the field's name was removed.
fn is_field_form(rest: &str) -> bool {
    let forms = ["= ", "in ", "at most ", "at least "];
    forms.iter().any(|form| rest.starts_with(form))
}

/// Parses a caveat on a field, from the field's name and the text after it.
fn on_field(name: &str, rest: &str) -> Result<Caveat, &'static str> {
    let behind = |form| rest.strip_prefix(form).zip(field(name).ok());
    let number = |digits| integer(digits).ok_or(INTEGER);
    if let Some((value, name)) = behind("= ") {
        let value = text(value)?;
        return Ok(Caveat::Field { name, value });
    }
    if let Some((values, name)) = behind("in ") {
        let values = values.split(' ').map(text).collect::<Result<_, _>>();
        let values = values
            .map_err(|_| "expected values without spaces, with one space between two of them")?;
        return Ok(Caveat::OneOf { name, values });
    }
    if let Some((most, name)) = behind("at most ") {
        let most = number(most)?;
        return Ok(Caveat::AtMost { name, most });
    }
    if let Some((least, name)) = behind("at least ") {
        let least = number(least)?;
        return Ok(Caveat::AtLeast { name, least });
    }
    match name.contains('=') || rest.contains('=') || is_field_form(rest) {
        true => Err(FIELD),
        false => Err(UNKNOWN),
    }
}

/// Parses an integer in canonical decimal.
pub(crate) fn integer(digits: &str) -> Option<u64> {
    let value: u64 = digits.parse().ok()?;
    (value.to_string() == digits).then_some(value)
}

pub(crate) fn text(text: &str) -> Result<String, &'static str> {
    let plain = !text.is_empty() && !text.contains(char::is_control);
    match plain && text.trim_matches(' ') == text {
        true => Ok(text.to_owned()),
        false => Err(
            "expected a text that is not empty, and has no control character and no space at \
             either end",
        ),
    }
}

/// Parses an HTTP method, which is a `token` of RFC 9110, section 5.6.2.
fn method(name: &str) -> Result<String, &'static str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    match !name.is_empty() && name.bytes().all(is_token) {
        true => Ok(name.to_owned()),
        false => Err("expected methods such as GET, with one space between two of them"),
    }
}

fn field(name: &str) -> Result<String, &'static str> {
    let is_name = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-');
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    match begins && name.bytes().all(is_name) {
        true => Ok(name.to_owned()),
        false => Err(FIELD),
    }
}

/// The time 0, from which seconds are counted.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

fn parse_time(text: &str) -> Result<u64, &'static str> {
    let utc = text.strip_suffix('Z');
    let time = utc.unwrap_or(text).parse::<DateTime>();
    let time = time.map_err(|_| TIME)?;
    if !text.contains(['T', 't', ' ']) {
        return Err("the time of day is missing");
    }
    let seconds = time.duration_since(EPOCH).as_secs();
    utc.and_then(|_| u64::try_from(seconds).ok()).ok_or(TIME)
}

/// The text of a time in UTC. After the year 9999, the text is the number of seconds, and cannot be parsed
/// again.
pub(crate) fn print_time(seconds: u64) -> String {
    i64::try_from(seconds)
        .ok()
        .and_then(|since| EPOCH.checked_add(SignedDuration::from_secs(since)).ok())
        .map_or_else(|| seconds.to_string(), |time| format!("{time}Z"))
}

/// The canonical text.
impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before(time) => write!(f, "before {}", print_time(*time)),
            Self::After(time) => write!(f, "after {}", print_time(*time)),
            Self::Audience(name) => write!(f, "audience {name}"),
            Self::Path(prefix) => write!(f, "path {prefix}"),
            Self::Method(names) => write!(f, "method {}", names.join(" ")),
            Self::Field { name, value } => write!(f, "{name} = {value}"),
            Self::OneOf { name, values } => write!(f, "{name} in {}", values.join(" ")),
            Self::AtMost { name, most } => write!(f, "{name} at most {most}"),
            Self::AtLeast { name, least } => write!(f, "{name} at least {least}"),
            Self::Vouched { key, text } => write!(f, "vouched {key} {text}"),
            Self::Depth(most) => write!(f, "depth {most}"),
        }
    }
}

/// The text of the caveats in a block, if every caveat can be read back from its text.
pub(crate) fn write(caveats: &[Caveat]) -> Result<String, Error> {
    let line = |caveat: &Caveat| {
        let text = caveat.to_string();
        match text.parse::<Caveat>()? == *caveat {
            true => Ok(text),
            false => Err(no_caveat(&text, "its text is that of another caveat", None)),
        }
    };
    let lines: Vec<_> = caveats.iter().map(line).collect::<Result<_, _>>()?;
    Ok(lines.join("\n"))
}

/// The caveat that a wrong text probably meant. `None` if that is unclear or no error message can repeat it.
fn slip_of(text: &str) -> Option<String> {
    let meant = meant(text)?.to_string();
    (is_plain(&meant) && canonical(&meant).is_ok()).then_some(meant)
}

/// True if an error message can repeat the text: it is short, and a terminal shows every character as itself.
fn is_plain(text: &str) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\');
    text.len() <= 200
        && text
            .chars()
            .all(|c| is_quote(c) || c.escape_debug().len() == 1)
}

/// The caveat that was probably meant by a wrong, trimmed text, if that is clear.
fn meant(text: &str) -> Option<Caveat> {
    let (word, rest) = text.split_once([' ', '='])?;
    let (word, rest) = (word.to_ascii_lowercase(), rest.trim());
    let value = rest.strip_prefix('=').unwrap_or(rest).trim();
    match word.as_str() {
        "before" => utc(value).map(Caveat::Before),
        "after" => utc(value).map(Caveat::After),
        "audience" => Some(Caveat::Audience(value.into())),
        "path" => {
            let segments = value.trim_matches('/');
            let path = normal(&format!("/{segments}"));
            path.ok().map(Caveat::Path)
        }
        "method" => {
            // Methods are case-sensitive, and the methods of HTTP are in capitals.
            let names = value.split([' ', ',']).filter(|name| !name.is_empty());
            Some(Caveat::Method(names.map(str::to_ascii_uppercase).collect()))
        }
        "vouched" => None,
        "depth" => value.parse().ok().map(Caveat::Depth),
        _ => {
            let (name, value) = text.split_once('=')?;
            Some(Caveat::Field {
                name: name.trim().to_ascii_lowercase(),
                value: value.trim().into(),
            })
        }
    }
}

/// Converts a time in any form of RFC 3339, or a date, to seconds since 1970.
fn utc(text: &str) -> Option<u64> {
    let time: Timestamp = text.parse().ok().or_else(|| {
        let local: DateTime = text.trim_end_matches(['Z', 'z']).parse().ok()?;
        format!("{local}Z").parse().ok()
    })?;
    u64::try_from(time.as_second()).ok()
}
