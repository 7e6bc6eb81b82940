//! The routes, and what they do for a request that passed the checks of [`auth`](crate::auth).

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use base64ct::{Base64UrlUnpadded, Encoding};
use klero_token::RevocationId;
use serde::{Deserialize, Serialize};

use crate::accounts;
use crate::auth::{Authorized, read_body};
use crate::now;
use crate::refusal::Refusal;
use crate::seal::EPOCH;
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

/// The routes of a service.
pub fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/login", post(log_in))
        .route("/jobs/{id}", get(read_job).put(write_job))
        .route("/revocations/{id}", post(revoke))
        .layer(middleware::map_response_with_state(
            service.clone(),
            tell_epoch,
        ))
        .with_state(service)
}

/// Every answer, also a refusal, tells the epoch: a client that sealed to an older one seals again.
async fn tell_epoch(State(service): State<Arc<Service>>, mut response: Response) -> Response {
    let epoch = Base64UrlUnpadded::encode_string(&service.epoch);
    if let Ok(epoch) = HeaderValue::from_str(&epoch) {
        response.headers_mut().insert(EPOCH, epoch);
    }
    response
}

/// Mints a token for a user. In front of a real service, something limits how often one may try.
async fn log_in(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Json<Granted>, Refusal> {
    let body = read_body(request.into_body()).await?;
    let login: Login = serde_json::from_slice(&body)
        .map_err(|_| Refusal::Malformed("expected {\"user\": …, \"password\": …}"))?;
    let account = accounts::log_in(&login.user, &login.password).ok_or(Refusal::Login)?;
    let caveats = account.caveats(&service.settings, now());
    let token = service.signer.mint(account.name.as_bytes(), &caveats).await;
    let text = token
        .map_err(|error| service.unavailable(&error))?
        .to_text();
    let token = text
        .map_err(|error| service.unavailable(&error))?
        .to_string();
    Ok(Json(Granted { token }))
}

async fn read_job(
    State(service): State<Arc<Service>>,
    Path(id): Path<u32>,
    Authorized { account, .. }: Authorized,
) -> Result<String, Refusal> {
    let job = service.jobs().get(&(account.name, id)).cloned();
    job.ok_or(Refusal::NotFound)
}

async fn write_job(
    State(service): State<Arc<Service>>,
    Path(id): Path<u32>,
    Authorized { account, body }: Authorized,
) -> Result<StatusCode, Refusal> {
    let text = String::from_utf8(body.into()).map_err(|_| Refusal::Malformed("expected UTF-8"))?;
    if id >= JOBS {
        return Err(Refusal::NotFound);
    }
    service.jobs().insert((account.name, id), text);
    Ok(StatusCode::NO_CONTENT)
}

/// Revokes a block by its id, and with it all tokens that contain the block. Only operators may:
/// with a narrow token, nobody can revoke the wide one that it was made of.
async fn revoke(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    Authorized { account, .. }: Authorized,
) -> Result<StatusCode, Refusal> {
    if !account.is_operator {
        return Err(Refusal::NoRight);
    }
    let id = id.parse::<RevocationId>();
    let id = id.map_err(|_| Refusal::Malformed("expected an id: 64 hex digits"))?;
    let at = service.clone();
    // Writing waits for the disk.
    let written = tokio::task::spawn_blocking(move || at.revocations.revoke(&id, now())).await;
    written
        .map_err(|error| service.unavailable(&error))?
        .map_err(|error| service.unavailable(&error))?;
    Ok(StatusCode::NO_CONTENT)
}
