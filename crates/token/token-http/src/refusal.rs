//! The reasons to refuse a request, and the HTTP status of each reason.
//!
//! The text of a refusal is about the client's own token and request. It describes the check that failed, and
//! contains nothing that the client does not have.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use klero_token::{Caveat, Error, Reason, Refused};
use serde_json::json;
use thiserror::Error;

/// The scheme `Klero`, which comes before the token in the header `Authorization`.
pub const SCHEME: &str = "Klero";

/// The maximum difference between the clocks of client and service, in seconds. Either clock may be ahead.
pub const WINDOW: u64 = 60;

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The request carries no token.
    #[error("no token: expected the header Authorization: {SCHEME} TOKEN")]
    NoToken,
    /// The request cannot be parsed.
    #[error("{0}")]
    Malformed(&'static str),
    /// The text of the token cannot be decoded, or exceeds the limits.
    #[error("token: {0}")]
    Undecodable(Error),
    /// The token is not valid for this request.
    #[error("token: {0}")]
    Invalid(Error),
    /// A caveat refuses the request, or a block is revoked.
    #[error("token: {0}")]
    Caveat(Refused),
    /// The request was made too long ago, or too far in the future.
    #[error("the time of the request is more than {WINDOW} seconds from that of the service")]
    OutOfTime,
    /// The same request arrived before.
    #[error("the request was made before")]
    Replayed,
    /// There is no room to remember the nonce of the request.
    #[error("too many requests within the last minutes")]
    Full,
    /// The body is larger than the limit.
    #[error("the body has more than {0} bytes")]
    BodyTooLarge(usize),
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    Timeout,
    /// The [`Store`](crate::Store) cannot answer.
    #[error("the service cannot answer now")]
    Unavailable,
}

impl Refusal {
    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            // The client needs another token or seal.
            Self::NoToken | Self::Invalid(_) | Self::OutOfTime | Self::Replayed => {
                StatusCode::UNAUTHORIZED
            }
            Self::Caveat(refused) if is_over(refused) => StatusCode::UNAUTHORIZED,
            // The token is valid, but not for this request.
            Self::Caveat(_) => StatusCode::FORBIDDEN,
            Self::Undecodable(Error::TooLarge { what, .. }) if !what.starts_with("caveats") => {
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
            }
            Self::Malformed(_) | Self::Undecodable(_) => StatusCode::BAD_REQUEST,
            Self::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::Full | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns the answer to the request, made by [`refuse`].
    #[must_use]
    pub fn into_response<B: From<Bytes>>(self) -> Response<B> {
        refuse(self.status(), &self.to_string())
    }
}

/// True if the token has expired or was revoked. Then the client needs a new login, so the status is the same
/// as for an invalid token.
fn is_over(refused: &Refused) -> bool {
    match refused.reason {
        Reason::Revoked => true,
        Reason::Unmet => matches!(refused.parsed.as_deref(), Some(Caveat::Before(_))),
        _ => false,
    }
}

/// Makes an answer with this status and the body `{"error":"…"}`. An answer with status 401 has the header
/// `WWW-Authenticate`. An answer with status 503 has the header `Retry-After`. A service can also use this
/// function for its own refusals, so that all of its errors look alike.
#[must_use]
pub fn refuse<B: From<Bytes>>(status: StatusCode, message: &str) -> Response<B> {
    let body = json!({ "error": message }).to_string();
    let mut response = Response::new(B::from(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(SCHEME));
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("10"));
        }
        _ => {}
    }
    response
}
