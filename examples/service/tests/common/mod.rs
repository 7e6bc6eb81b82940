//! A service on the loopback address, with files of its own.

// Each test file uses some of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use axum::body::Bytes;
use axum::http::Method;
use klero_service::client::{Client, Reply};
use klero_service::second_factor::SecondFactor;
use klero_service::server::{Running, Settings};
use klero_token::Token;
use klero_token_http::now;
use tempfile::TempDir;

pub const AUTHORITY: &str = "jobs.example";
pub const CODE: &str = "314159";

pub struct World {
    pub second_factor: SecondFactor,
    pub settings: Settings,
    directory: TempDir,
}

impl World {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let second_factor = SecondFactor::new(CODE).unwrap();
        let settings = Settings {
            listen: ([127, 0, 0, 1], 0).into(),
            authority: AUTHORITY.into(),
            signer: env!("CARGO_BIN_EXE_signer").into(),
            keys: directory.path().to_owned(),
            store: directory.path().join("service.redb"),
            second_factor: *second_factor.public_key(),
            nonces: 1000,
            connections_of_each: 128,
        };
        Self {
            second_factor,
            settings,
            directory,
        }
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The file of the first root key.
    pub fn key_file(&self) -> PathBuf {
        self.settings.keys.join("root-0.pem")
    }

    pub async fn start(&self) -> (Running, Client) {
        let running = Running::start(self.settings.clone()).await.unwrap();
        let client = Client::new(running.address, AUTHORITY);
        (running, client)
    }

    /// The token of the operator, with a statement of the second factor.
    pub async fn operator(&self, client: &Client) -> Token {
        let token = client.log_in("olga", "battery staple").await.unwrap();
        self.vouched(&token)
    }

    /// The operator's token with a statement of the second factor.
    pub fn vouched(&self, token: &Token) -> Token {
        let request = token.request().unwrap().encode();
        let statement = self.second_factor.vouch("olga", CODE, &request, now());
        let statement = statement.unwrap();
        let limits = Default::default();
        let statement = klero_token::Statement::decode(&statement.unwrap(), &limits).unwrap();
        token.append_statement(&statement).unwrap()
    }
}

pub async fn alice(client: &Client) -> Token {
    client.log_in("alice", "correct horse").await.unwrap()
}

pub async fn get(client: &Client, token: &Token, target: &str) -> Reply {
    client.call(token, Method::GET, target, b"").await.unwrap()
}

pub async fn put(client: &Client, token: &Token, target: &str, body: &str) -> Reply {
    let body = body.as_bytes();
    client.call(token, Method::PUT, target, body).await.unwrap()
}

/// The message of a refusal.
pub fn error(body: &Bytes) -> String {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap();
    body["error"].as_str().unwrap().to_owned()
}
