//! What the service answers when it does not do what was asked, for reasons of its own. What the layer
//! in front of it refuses looks the same.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use klero_token_http::{Refusal, refuse};
use thiserror::Error;

/// Why a request that may have passed all checks is refused.
#[derive(Debug, Error)]
pub enum Problem {
    /// The body cannot be read.
    #[error(transparent)]
    Body(#[from] Refusal),
    /// The login is not known. Whether it was the name or the password is not said.
    #[error("wrong user or password")]
    Login,
    /// The request cannot be parsed.
    #[error("{0}")]
    Malformed(&'static str),
    /// The user may not do this.
    #[error("the user has not the right to do this")]
    NoRight,
    /// There is no such thing.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The path has other methods.
    #[error("no such method on this path")]
    NoMethod,
    /// The newest root cannot be removed.
    #[error("the newest root cannot be removed")]
    Newest,
    /// The signer or the database does not answer. The operator reads why in the log.
    #[error("the service cannot answer now")]
    Unavailable,
}

impl Problem {
    /// Tells the operator what failed, and the client only that something did.
    pub fn unavailable(error: impl std::fmt::Display) -> Self {
        eprintln!("{error}");
        Self::Unavailable
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Body(refusal) => return refusal.into_response(),
            Self::Login => StatusCode::UNAUTHORIZED,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::NoRight => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::NoMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Newest => StatusCode::CONFLICT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        };
        refuse(status, &self.to_string())
    }
}
