//! The kinds of errors, by the numbers that operations return. -1 is an argument that is wrong.

use std::fmt::Display;

use klero_js_message::{Failed, Writer};
use klero_token::{Error, Token};

/// A token, or a request or statement about one, is invalid.
const INVALID: i32 = -2;

/// A text that the caller wrote is none of its kind.
const NO_TEXT: i32 = -3;

/// There are no random bytes.
const NO_RANDOMNESS: i32 = -4;

/// Why a token is invalid, or cannot be made.
pub fn invalid(error: Error) -> Failed {
    Failed {
        number: match error {
            Error::NoRandomness(_) => NO_RANDOMNESS,
            _ => INVALID,
        },
        words: error.to_string(),
    }
}

/// What should be a request or a statement is none.
pub fn malformed(what: &str, error: &Error) -> Failed {
    Failed {
        number: INVALID,
        words: format!("{what}: {error}"),
    }
}

/// A text is none of its kind.
pub fn no_text(error: impl Display) -> Failed {
    Failed {
        number: NO_TEXT,
        words: error.to_string(),
    }
}

/// Responds with the text of a token that was made.
pub fn made(token: Result<Token, Error>, response: &mut Writer) -> Result<i32, Failed> {
    let text = token.and_then(|token| token.to_text()).map_err(invalid)?;
    response.push(text.as_bytes());
    Ok(0)
}
