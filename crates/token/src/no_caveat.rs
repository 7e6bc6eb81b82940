//! A text that is no caveat: what is wrong with it, and which caveat was probably meant.

use alloc::format;
use alloc::string::{String, ToString};

use thiserror::Error;

use crate::path::PathFault;

/// The text is not the canonical text of a caveat.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not a caveat: {text:?}: {advice}", advice = self.advice())]
pub struct NotACaveat {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub fault: CaveatFault,
    /// The text of the caveat that was probably meant, if a message can repeat it.
    pub(crate) meant: Option<String>,
}

/// The reason why a text is not a caveat. It does not repeat the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CaveatFault {
    /// No caveat begins like this.
    #[error(
        "expected `before TIME`, `after TIME`, `audience NAME`, `path PREFIX`, `method NAME...`, \
         `NAME = VALUE`, `NAME in VALUE...`, `NAME at most N`, `NAME at least N`, `vouched KEY \
         TEXT` or `depth N`, with a time such as 2026-11-23T06:15:00Z, a path such as /files and a \
         key such as ed25519:..."
    )]
    Unknown,
    /// The time is not one in UTC, or is before 1970.
    #[error("expected a time in UTC since 1970, such as 2026-11-23T06:15:00Z")]
    Time,
    /// A date without a time.
    #[error("the time of day is missing")]
    TimeOfDay,
    /// The path has no normal form.
    #[error("{0}")]
    Path(PathFault),
    /// What follows `method` is not a list of methods.
    #[error("expected methods such as GET, with one space between two of them")]
    Method,
    /// What follows `vouched` is not a key and a text.
    #[error("expected the key of a third party such as ed25519:..., and a text")]
    Vouched,
    /// A text is empty, begins or ends with a space, or has a control character.
    #[error(
        "expected a text that is not empty, and has no control character and no space at either \
         end"
    )]
    Text,
    /// A field is not written `NAME = VALUE`, or in one of the other ways.
    #[error(
        "expected `NAME = VALUE`, with one space on each side of =, and a name of a-z, 0-9, _, . \
         and - that begins with a letter"
    )]
    Field,
    /// What follows `in` is not a list of values.
    #[error("expected values without spaces, with one space between two of them")]
    Values,
    /// What should be an integer is none, or is not written in the only way that counts.
    #[error("expected an integer from 0 to 18446744073709551615, such as 100")]
    Integer,
    /// The word before `=` begins caveats of another form, and names no field.
    #[error("before, after, audience, path, method, vouched and depth are no fields")]
    NotAField,
    /// It reads as a caveat, and is not written in the only way that counts.
    #[error("a caveat is written in one way only")]
    NotCanonical,
    /// The parts of the caveat, as text, are those of another.
    #[error("its text is that of another caveat")]
    Another,
}

impl NotACaveat {
    /// The mistake in the text, and the caveat that was probably meant. It repeats that much of
    /// the text.
    #[must_use]
    pub fn advice(&self) -> String {
        match (self.fault, &self.meant) {
            (fault, None) => fault.to_string(),
            // The form shows what was expected.
            (CaveatFault::Unknown | CaveatFault::Field, Some(text)) => format!("write `{text}`"),
            (fault, Some(text)) => format!("{fault}: write `{text}`"),
        }
    }
}
