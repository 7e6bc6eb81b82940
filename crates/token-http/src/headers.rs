//! What the headers of a request say of its token.

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName};
use klero_token::{Limits, Unverified};

use crate::refusal::Refusal;
use crate::seal::{RANDOM, SCHEME, TIME, read_random};

/// What was presented.
pub(crate) struct Presented {
    pub(crate) token: Unverified,
    pub(crate) random: [u8; 16],
    pub(crate) time: u64,
}

impl Presented {
    pub(crate) fn read(headers: &HeaderMap, limits: &Limits) -> Result<Self, Refusal> {
        let text = only(headers, &AUTHORIZATION)?
            .and_then(|value| value.strip_prefix(SCHEME)?.strip_prefix(' '))
            .ok_or(Refusal::NoToken)?;
        let random = only(headers, &RANDOM)?.and_then(read_random);
        let time = only(headers, &TIME)?.and_then(|time| time.parse().ok());
        Ok(Self {
            token: Unverified::from_text(text, limits).map_err(Refusal::Undecodable)?,
            random: random.ok_or(Refusal::Malformed(
                "expected the header klero-random: 16 bytes in base64url",
            ))?,
            time: time.ok_or(Refusal::Malformed(
                "expected the header klero-time: seconds since 1970",
            ))?,
        })
    }
}

/// The value of a header that may appear once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Refusal::Malformed("a header of the token appears twice"));
    }
    let text = first.map(|value| value.to_str()).transpose();
    text.map_err(|_| Refusal::Malformed("a header of the token is not text"))
}
