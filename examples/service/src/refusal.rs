//! Why a request is refused, and with which status.
//!
//! What a refusal says is about the client's own token and request. It names the check that failed,
//! and nothing that the client does not have.

use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use klero_token::{Caveat, Error, Reason, Refused};
use thiserror::Error;

use crate::nonces::Unspendable;
use crate::seal::SCHEME;

/// Why a request is refused.
#[derive(Debug, Error)]
pub enum Refusal {
    /// The request carries no token.
    #[error("no token: expected the header Authorization: {SCHEME} TOKEN")]
    NoToken,
    /// The login is not known. Whether it was the name or the password is not said.
    #[error("wrong user or password")]
    Login,
    /// The request cannot be parsed.
    #[error("{0}")]
    Malformed(&'static str),
    /// The text of the token cannot be decoded, or exceeds the limits.
    #[error("token: {0}")]
    Undecodable(Error),
    /// The token is not valid for this request.
    #[error("token: {0}")]
    Invalid(Error),
    /// A caveat refuses, or a block is revoked.
    #[error("token: {0}")]
    Caveat(Refused),
    /// The nonce of the request does not count.
    #[error("{0}")]
    Nonce(#[from] Unspendable),
    /// The user may not do this.
    #[error("the user has not the right to do this")]
    NoRight,
    /// There is no such thing.
    #[error("no such job")]
    NotFound,
    /// The body is larger than the limit.
    #[error("the body has more than {0} bytes")]
    BodyTooLarge(usize),
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    Timeout,
    /// The signer or the database does not answer. The operator reads why in the log.
    #[error("the service cannot answer now")]
    Unavailable,
}

impl Refusal {
    /// The status of HTTP.
    pub fn status(&self) -> StatusCode {
        match self {
            // Another token would help.
            Self::NoToken | Self::Login | Self::Invalid(_) => StatusCode::UNAUTHORIZED,
            Self::Nonce(Unspendable::OutOfTime | Unspendable::Replayed) => StatusCode::UNAUTHORIZED,
            Self::Caveat(refused) if is_over(refused) => StatusCode::UNAUTHORIZED,
            // The token is good, but not for this.
            Self::Caveat(_) | Self::NoRight => StatusCode::FORBIDDEN,
            Self::Undecodable(Error::TooLong { .. } | Error::TooManySignatures { .. }) => {
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
            }
            Self::Malformed(_) | Self::Undecodable(_) => StatusCode::BAD_REQUEST,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::BodyTooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::Nonce(Unspendable::Full) | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// Whether the token was good until its time passed or it was revoked: a new login helps, as for an
/// invalid one.
fn is_over(refused: &Refused) -> bool {
    match refused.reason {
        Reason::Revoked => true,
        Reason::Unmet => matches!(refused.parsed, Some(Caveat::Before(_))),
        _ => false,
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = self.status();
        let body = serde_json::json!({ "error": self.to_string() });
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
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
}
