//! A holder of tokens. It narrows them without asking anybody, and seals one to each request.
//!
//! What it narrows is up to the caller, and needs no client: `token.narrow(&[…])`.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use axum::http::header::HOST;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::{self, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use klero_token::{Limits, Token};
use klero_token_http::{EPOCH, Sealed, now, read_random};
use thiserror::Error;

use crate::router::{Granted, Login};

/// A client of one service.
pub struct Client {
    address: SocketAddr,
    /// The name of the service, from the client's own settings.
    authority: String,
    http: legacy::Client<HttpConnector, Full<Bytes>>,
    /// As the service told it last.
    epoch: Mutex<[u8; 16]>,
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// The status of HTTP.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// Why there is no answer, or no token.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The token cannot be read, narrowed or sealed.
    #[error(transparent)]
    Token(#[from] klero_token::Error),
    /// The request cannot be written.
    #[error(transparent)]
    Request(#[from] axum::http::Error),
    /// There is no connection.
    #[error(transparent)]
    Network(#[from] legacy::Error),
    /// The answer breaks off.
    #[error(transparent)]
    Answer(#[from] hyper::Error),
    /// The body is not what it should be.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The operating system gave no random bytes.
    #[error(transparent)]
    NoRandomness(#[from] getrandom::Error),
    /// The service refuses to log the user in.
    #[error("login: {0}")]
    Refused(StatusCode),
}

impl Client {
    /// A client of the service that listens there, and has this name.
    pub fn new(address: SocketAddr, authority: &str) -> Self {
        Self {
            address,
            authority: authority.to_owned(),
            http: legacy::Client::builder(TokioExecutor::new()).build_http(),
            epoch: Mutex::new([0; 16]),
        }
    }

    /// Logs a user in. The token is not verified: the client need not know the root's key.
    ///
    /// # Errors
    /// A [`ClientError`].
    pub async fn log_in(&self, user: &str, password: &str) -> Result<Token, ClientError> {
        let login = serde_json::to_vec(&Login {
            user: user.to_owned(),
            password: password.to_owned(),
        })?;
        let request = self
            .request(Method::POST, "/login")
            .body(Full::from(login))?;
        let reply = self.send(request).await?;
        if reply.status != StatusCode::OK {
            return Err(ClientError::Refused(reply.status));
        }
        let granted: Granted = serde_json::from_slice(&reply.body)?;
        Ok(Token::from_text(&granted.token, &Limits::default())?)
    }

    /// Seals the token to a request of now, and sends it. If the service has been started again
    /// since it last answered, the request is sealed and sent once more.
    ///
    /// # Errors
    /// A [`ClientError`]. A refusal of the service is no error.
    pub async fn call(
        &self,
        token: &Token,
        method: Method,
        target: &str,
        body: &[u8],
    ) -> Result<Reply, ClientError> {
        let epoch = self.epoch();
        let request = self.seal(token, method.clone(), target, body, now())?;
        let reply = self.send(request).await?;
        if reply.status == StatusCode::UNAUTHORIZED && self.epoch() != epoch {
            let request = self.seal(token, method, target, body, now())?;
            return self.send(request).await;
        }
        Ok(reply)
    }

    /// A request with the token sealed to it.
    ///
    /// # Errors
    /// [`ClientError::Token`] and the like.
    pub fn seal(
        &self,
        token: &Token,
        method: Method,
        target: &str,
        body: &[u8],
        time: u64,
    ) -> Result<Request<Full<Bytes>>, ClientError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let sealed = Sealed {
            epoch: &self.epoch(),
            method: method.as_str(),
            authority: &self.authority,
            target,
            body,
            random: &random,
            time,
        };
        let headers = sealed.headers(token)?;
        let mut request = self.request(method, target);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        Ok(request.body(Full::from(body.to_vec()))?)
    }

    /// Sends a request, and remembers the epoch that the service tells.
    ///
    /// # Errors
    /// [`ClientError::Network`], [`ClientError::Answer`].
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Result<Reply, ClientError> {
        let (parts, body) = self.http.request(request).await?.into_parts();
        let epoch = parts.headers.get(EPOCH).map(HeaderValue::to_str);
        if let Some(epoch) = epoch.and_then(|text| read_random(text.ok()?)) {
            *self.epoch.lock().unwrap_or_else(PoisonError::into_inner) = epoch;
        }
        Ok(Reply {
            status: parts.status,
            headers: parts.headers,
            body: body.collect().await?.to_bytes(),
        })
    }

    fn request(&self, method: Method, target: &str) -> axum::http::request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("http://{}{target}", self.address))
            .header(HOST, &self.authority)
    }

    fn epoch(&self) -> [u8; 16] {
        *self.epoch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
