//! The routes, and what they do. All but the login are behind the layer of `klero-token-http`: it also
//! stands before paths and methods that do not exist, so that a client without a token learns nothing.

use std::str::FromStr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware;
use axum::response::Response;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use klero_token::RevocationId;
use klero_token_http::{Authorized, TokenLayer, now};
use serde::{Deserialize, Serialize};

use crate::accounts::{self, Account};
use crate::answer::Problem;
use crate::roots::KeyringError;
use crate::server::Service;

/// How many jobs a user has.
const JOBS: u32 = 100;

/// The body of a login.
#[derive(Deserialize, Serialize)]
pub struct Login {
    /// The name of the user.
    pub user: String,
    /// The password.
    pub password: String,
}

/// The answer to a login.
#[derive(Deserialize, Serialize)]
pub struct Granted {
    /// The text of a token. It is the bearer's: send it over TLS only.
    pub token: String,
}

/// The answer to a change of the root key.
#[derive(Deserialize, Serialize)]
pub struct Rotated {
    /// The number of the new root.
    pub root: u32,
}

/// The routes of a service.
pub fn router(service: Arc<Service>) -> Router {
    let with_epoch = middleware::map_response_with_state(service.clone(), tell_epoch);
    let login = Router::new()
        .route("/login", post(log_in).fallback(no_method))
        .layer(with_epoch);
    Router::new()
        .route("/jobs/{id}", get(read_job).put(write_job))
        .route("/revocations/{id}", post(revoke))
        .route("/roots", post(rotate))
        .route("/roots/{id}", delete(remove_root))
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .layer(TokenLayer::new(service.guard.clone()))
        .merge(login)
        .with_state(service)
}

/// What requests state for caveats of the application: the number of the job, and how long the body is.
pub fn fields(request: &axum::http::Request<Bytes>) -> Vec<(&'static str, String)> {
    let mut fields = vec![("bytes", request.body().len().to_string())];
    if let Some(job) = request.uri().path().strip_prefix("/jobs/") {
        fields.push(("job", job.to_owned()));
    }
    fields
}

/// Who asks. Only a request that passed all checks has one.
struct User(&'static Account);

impl<S: Sync> FromRequestParts<S> for User {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let authorized = parts.extensions.get::<Authorized>();
        let account = authorized.and_then(|of| accounts::of_rights(&of.rights));
        account.map(Self).ok_or(Problem::NoRight)
    }
}

impl User {
    fn must_be_operator(&self) -> Result<(), Problem> {
        match self.0.is_operator {
            true => Ok(()),
            false => Err(Problem::NoRight),
        }
    }
}

/// A number in a path. Each has one text, so that a caveat on `/jobs/7` is about all of job 7.
fn number(text: &str) -> Option<u32> {
    let number = u32::from_str(text).ok()?;
    (number.to_string() == text).then_some(number)
}

async fn no_path() -> Problem {
    Problem::NotFound("path")
}

async fn no_method() -> Problem {
    Problem::NoMethod
}

/// So that a client's first request after its login is not refused for an older epoch.
async fn tell_epoch(State(service): State<Arc<Service>>, mut response: Response) -> Response {
    service.guard.tell_epoch(response.headers_mut());
    response
}

/// Mints a token for a user. In front of a real service, something limits how often one may try.
async fn log_in(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Json<Granted>, Problem> {
    let body = service.guard.read_body(request.into_body()).await?;
    let login: Login = serde_json::from_slice(&body)
        .map_err(|_| Problem::Malformed("expected {\"user\": …, \"password\": …}"))?;
    let account = accounts::log_in(&login.user, &login.password).ok_or(Problem::Login)?;
    let caveats = account.caveats(&service.settings, now());
    let token = service
        .keyring
        .mint(account.name.as_bytes(), &caveats)
        .await;
    let text = token.map_err(Problem::unavailable)?.to_text();
    let token = text.map_err(Problem::unavailable)?.to_string();
    Ok(Json(Granted { token }))
}

async fn read_job(
    User(account): User,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<String, Problem> {
    let job = number(&id).and_then(|id| service.jobs().get(&(account.name, id)).cloned());
    job.ok_or(Problem::NotFound("job"))
}

async fn write_job(
    User(account): User,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let id = number(&id).filter(|id| *id < JOBS);
    let id = id.ok_or(Problem::NotFound("job"))?;
    let text = String::from_utf8(body.into()).map_err(|_| Problem::Malformed("expected UTF-8"))?;
    service.jobs().insert((account.name, id), text);
    Ok(StatusCode::NO_CONTENT)
}

/// Revokes a block by its id, and with it all tokens that contain the block. Only operators may:
/// with a narrow token, nobody can revoke the wide one that it was made of.
async fn revoke(
    user: User,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    user.must_be_operator()?;
    let id = id.parse::<RevocationId>();
    let id = id.map_err(|_| Problem::Malformed("expected an id: 64 hex digits"))?;
    // Writing waits for the disk.
    let revoking = move || service.store.revoke(&id, now());
    let written = tokio::task::spawn_blocking(revoking).await;
    written
        .map_err(Problem::unavailable)?
        .map_err(Problem::unavailable)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Adds a root key, which mints from now on.
async fn rotate(
    user: User,
    State(service): State<Arc<Service>>,
) -> Result<(StatusCode, Json<Rotated>), Problem> {
    user.must_be_operator()?;
    let rotated = service.keyring.rotate().await;
    let root = rotated.map_err(Problem::unavailable)?;
    Ok((StatusCode::CREATED, Json(Rotated { root })))
}

/// Removes an old root key, and so ends all of its tokens.
async fn remove_root(
    user: User,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    user.must_be_operator()?;
    let id = number(&id).ok_or(Problem::NotFound("root"))?;
    match service.keyring.remove(id).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(KeyringError::Unknown(_)) => Err(Problem::NotFound("root")),
        Err(KeyringError::Newest(_)) => Err(Problem::Newest),
        Err(error) => Err(Problem::unavailable(error)),
    }
}
