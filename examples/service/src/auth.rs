//! The checks that every request passes before anything is done for it.
//!
//! A handler that takes [`Authorized`] cannot see a request, or its body, that failed one. The order
//! matters: sizes before parsing, what is cheap before signatures, and the nonce last, so that
//! a request that is refused for another reason spends none.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName};
use base64ct::{Base64UrlUnpadded, Encoding};
use http_body_util::LengthLimitError;
use klero_token::{Access, Limits, Revoked, Unverified, normal_path};
use tokio::time::timeout;

use crate::accounts::{self, Account};
use crate::now;
use crate::refusal::Refusal;
use crate::seal::{RANDOM, SCHEME, Sealed, TIME};
use crate::server::{BODY_LIMIT, PATIENCE, Service};

/// The largest token. With two or three narrowings one has less than 1000 bytes.
const LIMITS: Limits = Limits {
    signatures: 16,
    caveats: 64,
    bytes: 4096,
};

/// A request that passed all checks.
pub struct Authorized {
    /// Who asks.
    pub account: &'static Account,
    /// The body.
    pub body: Bytes,
}

impl FromRequest<Arc<Service>> for Authorized {
    type Rejection = Refusal;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let presented = Presented::read(&parts.headers)?;
        // The router, the handler and the caveats must mean the same by a path.
        let path = parts.uri.path();
        if normal_path(path).as_deref() != Ok(path) {
            return Err(Refusal::Malformed("the path is not in normal form"));
        }
        let body = read_body(body).await?;

        let sealed = Sealed {
            epoch: &service.epoch,
            method: parts.method.as_str(),
            authority: &service.settings.authority,
            target: parts
                .uri
                .path_and_query()
                .map_or(path, |target| target.as_str()),
            body: &body,
            random: &presented.random,
            time: presented.time,
        };
        let nonce = sealed.nonce();
        let verdict = service
            .verifier
            .verify(presented.token, nonce, presented.time);
        let token = verdict
            .await
            .ok_or_else(|| service.unavailable(&"the verifier has ended"))?
            .map_err(Refusal::Invalid)?;

        let revoked = service.revocations.among(token.revocation_ids());
        let revoked = revoked.map_err(|error| service.unavailable(&error))?;

        let now = now();
        let access = Access {
            audience: Some(&service.settings.authority),
            path: Some(path),
            method: Some(parts.method.as_str()),
            ..Access::at(now, Revoked::ids(&revoked))
        };
        let rights = token.check(&access).map_err(Refusal::Caveat)?;
        let account = accounts::of_rights(&rights).ok_or(Refusal::NoRight)?;

        service.nonces().spend(nonce, presented.time, now)?;
        Ok(Self { account, body })
    }
}

/// What the headers of a request say.
struct Presented {
    token: Unverified,
    random: [u8; 16],
    time: u64,
}

impl Presented {
    fn read(headers: &HeaderMap) -> Result<Self, Refusal> {
        let text = only(headers, &AUTHORIZATION)?
            .and_then(|value| value.strip_prefix(SCHEME)?.strip_prefix(' '))
            .ok_or(Refusal::NoToken)?;
        let random = only(headers, &HeaderName::from_static(RANDOM))?.and_then(read_random);
        let time =
            only(headers, &HeaderName::from_static(TIME))?.and_then(|time| time.parse().ok());
        Ok(Self {
            token: Unverified::from_text(text, &LIMITS).map_err(Refusal::Undecodable)?,
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

/// The 16 random bytes of a client, from base64url.
pub fn read_random(text: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let read = Base64UrlUnpadded::decode(text, &mut bytes).ok()?;
    (read.len() == bytes.len()).then_some(bytes)
}

/// All of a body, if it is small enough and arrives in time.
///
/// # Errors
/// [`Refusal::BodyTooLarge`], [`Refusal::Timeout`], [`Refusal::Malformed`].
pub async fn read_body(body: Body) -> Result<Bytes, Refusal> {
    // What is announced as too large is not read at all.
    if body.size_hint().lower() > BODY_LIMIT as u64 {
        return Err(Refusal::BodyTooLarge(BODY_LIMIT));
    }
    let read = timeout(PATIENCE, axum::body::to_bytes(body, BODY_LIMIT)).await;
    read.map_err(|_| Refusal::Timeout)?.map_err(|error| {
        let source = std::error::Error::source(&error);
        match source.is_some_and(|source| source.is::<LengthLimitError>()) {
            true => Refusal::BodyTooLarge(BODY_LIMIT),
            false => Refusal::Malformed("the body cannot be read"),
        }
    })
}
