//! The parts of a request that a seal covers. Headers such as `content-type` are not among them.
//!
//! The holder seals the token to a nonce, which is a hash of the request. The service computes the same hash
//! from the request that arrived. So a sealed token is good for one request only. Someone who intercepts the
//! token cannot use it for another request, and [`Store::spend`](crate::Store::spend) prevents the same
//! request from passing twice.

use base64ct::{Base64UrlUnpadded, Encoding};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use klero_token::{Challenge, Error, Limits, Token};
use sha2::{Digest, Sha256};

use crate::refusal::{Refusal, SCHEME};

/// The header `klero-random`, with the 16 random bytes of the client, in base64url.
pub const RANDOM: HeaderName = HeaderName::from_static("klero-random");

/// The header `klero-time`, with the time of the client, in seconds since 1970.
pub const TIME: HeaderName = HeaderName::from_static("klero-time");

/// The header `klero-epoch`, with the epoch of the service, in base64url.
pub const EPOCH: HeaderName = HeaderName::from_static("klero-epoch");

/// The content of a request that a seal covers. The client takes the epoch from the service's last answer,
/// and draws 16 random bytes for each request. The [page of the crate](crate) has an example.
#[derive(Clone, Copy, Debug)]
pub struct Sealed<'a> {
    /// The epoch: 16 random bytes that the service chose when it started. A restart makes a service forget
    /// nonces that it keeps in memory. The new epoch invalidates the tokens sealed before the restart.
    pub epoch: &'a [u8; 16],
    /// The method.
    pub method: &'a str,
    /// The name of the service. Each side takes it from its own settings, never from the request.
    pub authority: &'a str,
    /// The path and the query, exactly as they are in the request: `/jobs/7?part=2`.
    pub target: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// 16 random bytes of the client, which make two otherwise equal requests different.
    pub random: &'a [u8; 16],
    /// The time at which the client made the request, in seconds since 1970.
    pub time: u64,
}

impl<'a> Sealed<'a> {
    /// Returns a hash of all parts except the time. The length of each part is hashed before the part, so no
    /// bytes can pass from one part to the next without a change of the hash.
    #[must_use]
    pub fn nonce(&self) -> [u8; 32] {
        let body = Sha256::digest(self.body);
        let parts: [&[u8]; 6] = [
            self.epoch,
            self.method.as_bytes(),
            self.authority.as_bytes(),
            self.target.as_bytes(),
            &body,
            self.random,
        ];
        let mut hash = Sha256::new_with_prefix(b"klero-token-http/request\x01");
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// Returns the challenge to which the token is sealed. It contains `nonce`.
    #[must_use]
    pub fn challenge(&self, nonce: &'a [u8; 32]) -> Challenge<'a> {
        Challenge {
            nonce,
            audience: self.authority,
            time: self.time,
        }
    }

    /// Returns the headers of the request, with the token sealed to the request.
    ///
    /// # Errors
    /// The errors of [`seal`](klero_token::Token::seal).
    pub fn headers(&self, token: &Token) -> Result<[(HeaderName, HeaderValue); 3], Error> {
        let text = token.seal(&self.challenge(&self.nonce()))?.to_text()?;
        let random = Base64UrlUnpadded::encode_string(self.random);
        // A base64url text is always a valid value of a header.
        let fault = || Error::Malformed("the text is not base64url without padding".into());
        let value = |text: String| HeaderValue::try_from(text).map_err(|_| fault());
        let mut authorization = value(format!("{SCHEME} {}", *text))?;
        authorization.set_sensitive(true);
        Ok([
            (AUTHORIZATION, authorization),
            (RANDOM, value(random)?),
            (TIME, self.time.into()),
        ])
    }
}

/// Decodes 16 bytes from base64url, such as the value of [`RANDOM`] or [`EPOCH`].
#[must_use]
pub fn read_random(text: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let read = Base64UrlUnpadded::decode(text, &mut bytes).ok()?;
    (read.len() == bytes.len()).then_some(bytes)
}

/// Returns the token, the random bytes and the time in the headers of a request.
pub(crate) fn presented(
    headers: &HeaderMap,
    limits: &Limits,
) -> Result<(Token, [u8; 16], u64), Refusal> {
    let text = only(headers, &AUTHORIZATION)?
        .and_then(|value| value.strip_prefix(SCHEME)?.strip_prefix(' '))
        .ok_or(Refusal::NoToken)?;
    let random = only(headers, &RANDOM)?.and_then(read_random);
    let time = only(headers, &TIME)?.and_then(|time| time.parse().ok());
    let token = Token::from_text(text, limits).map_err(Refusal::Undecodable)?;
    let no_random = "expected the header klero-random: 16 bytes in base64url";
    let random = random.ok_or(Refusal::Malformed(no_random))?;
    let no_time = "expected the header klero-time: seconds since 1970";
    let time = time.ok_or(Refusal::Malformed(no_time))?;
    Ok((token, random, time))
}

/// Returns the value of a header. The header may appear at most once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Refusal::Malformed("a header of the token appears twice"));
    }
    let text = first.map(|value| value.to_str()).transpose();
    text.map_err(|_| Refusal::Malformed("a header of the token is not text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_request_changes_its_nonce() {
        let request = Sealed {
            epoch: &[1; 16],
            method: "GET",
            authority: "jobs.example",
            target: "/jobs/7?part=2",
            body: b"body",
            random: &[2; 16],
            time: 0,
        };
        let change = |change: fn(&mut Sealed<'_>)| {
            let mut other = request;
            change(&mut other);
            other.nonce()
        };
        let mut nonces = vec![
            request.nonce(),
            change(|of| of.epoch = &[0; 16]),
            change(|of| of.method = "PUT"),
            change(|of| of.authority = "jobs.exampl"),
            change(|of| of.target = "/jobs/7"),
            change(|of| of.target = "/jobs/7?part=3"),
            change(|of| of.target = "e/jobs/7?part=2"),
            change(|of| of.body = b""),
            change(|of| of.random = &[0; 16]),
        ];
        nonces.sort();
        nonces.dedup();
        assert_eq!(nonces.len(), 9);
    }
}
