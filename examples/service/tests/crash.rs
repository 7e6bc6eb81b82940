//! A service that is killed at any moment loses nothing that it acknowledged: what was revoked stays
//! revoked, roots that were added stay known and those that were removed stay removed, and tokens
//! that were minted count.
//!
//! It is killed at work `KLERO_TEST_CRASHES` times, and as often while it starts for the first time, and
//! while it starts again. This is `kill -9`; a machine that loses power is not tested.

mod common;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use common::{AUTHORITY, World, error};
use klero_service::client::Client;
use klero_service::router::Rotated;
use klero_token::Token;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// How many tokens are checked after each start; at the end, all are.
const CHECKED: usize = 200;

/// What must be true of the service: acknowledged, or asked for without an answer.
#[derive(Default)]
struct Known {
    tokens: Vec<Token>,
    /// By their place in the list.
    revoked: BTreeSet<usize>,
    maybe_revoked: BTreeSet<usize>,
    newest_root: u32,
    removed: BTreeSet<u32>,
    maybe_removed: BTreeSet<u32>,
}

struct Test {
    world: World,
    known: Mutex<Known>,
}

impl Test {
    fn new() -> Self {
        Self {
            world: World::new(),
            known: Mutex::default(),
        }
    }

    /// Starts it, and kills it soon.
    async fn start_and_kill(&self, milliseconds: u64) {
        let mut child = self.spawn();
        sleep(some(milliseconds)).await;
        child.kill().await.unwrap();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }

    fn spawn(&self) -> Child {
        let key = self.world.second_factor.public_key();
        Command::new(env!("CARGO_BIN_EXE_klero-service"))
            .args(["serve", "--listen", "127.0.0.1:0", "--authority", AUTHORITY])
            .args(["--second-factor", &key.to_string(), "--data"])
            .arg(self.world.directory())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    async fn start(&self) -> (Child, Client) {
        let mut child = self.spawn();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).await.unwrap();
        let address = line.trim().strip_prefix("listening on ");
        let address: SocketAddr = address.expect("it starts").parse().unwrap();
        (child, Client::new(address, AUTHORITY))
    }

    /// All that must be true is true.
    async fn check(&self, client: &Client, tokens: usize) {
        let newest = client.log_in("alice", "correct horse").await.unwrap();
        assert!(newest.root_id() >= self.known().newest_root);
        let all: Vec<_> = self.known().tokens.iter().cloned().enumerate().collect();
        for (place, token) in all.into_iter().rev().take(tokens) {
            let reply = client
                .call(&token, Method::GET, "/jobs/7", b"")
                .await
                .unwrap();
            let (root, known) = (token.root_id(), self.known());
            let counts = reply.status == StatusCode::NOT_FOUND;
            assert!(counts || reply.status == StatusCode::UNAUTHORIZED);
            if known.removed.contains(&root) {
                let unknown = format!("token: no root key has the number {root}");
                assert_eq!(error(&reply.body), unknown);
            } else if known.revoked.contains(&place) {
                assert!(!counts, "token {place} was revoked");
            } else if !known.maybe_revoked.contains(&place) && !known.maybe_removed.contains(&root)
            {
                assert!(counts, "token {place} was minted: {}", error(&reply.body));
            }
        }
    }

    /// Mints until the service is gone.
    async fn mint(&self, client: &Client) {
        while let Ok(token) = client.log_in("alice", "correct horse").await {
            self.known().tokens.push(token);
            sleep(Duration::from_millis(3)).await;
        }
    }

    async fn revoke(&self, client: &Client, operator: &Token) {
        loop {
            let Some((place, id)) = self.next_to_revoke() else {
                sleep(Duration::from_millis(1)).await;
                continue;
            };
            let target = format!("/revocations/{id}");
            let reply = client.call(operator, Method::POST, &target, b"").await;
            match reply.map(|reply| reply.status) {
                Ok(StatusCode::NO_CONTENT) => self.known().revoked.insert(place),
                _ => return,
            };
        }
    }

    /// Every second token, oldest first.
    fn next_to_revoke(&self) -> Option<(usize, klero_token::RevocationId)> {
        let mut known = self.known();
        let next = known.maybe_revoked.last().map_or(0, |last| last + 2);
        let id = known.tokens.get(next)?.revocation_ids()[0];
        known.maybe_revoked.insert(next);
        Some((next, id))
    }

    /// Adds roots, and removes those older than that of the operator's own token.
    async fn rotate(&self, client: &Client, operator: &Token) {
        loop {
            let Ok(reply) = client.call(operator, Method::POST, "/roots", b"").await else {
                return;
            };
            let Ok(Rotated { root }) = serde_json::from_slice(&reply.body) else {
                return;
            };
            let old = {
                let mut known = self.known();
                known.newest_root = root;
                let old = known.maybe_removed.last().map_or(0, |last| last + 1);
                let old = Some(old).filter(|old| *old < operator.root_id());
                known.maybe_removed.extend(old);
                old
            };
            if let Some(old) = old {
                let target = format!("/roots/{old}");
                let reply = client.call(operator, Method::DELETE, &target, b"").await;
                match reply.map(|reply| reply.status) {
                    Ok(StatusCode::NO_CONTENT) => self.known().removed.insert(old),
                    _ => return,
                };
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    async fn work(&self, client: &Client) {
        let operator = self.world.operator(client).await;
        tokio::join!(
            self.mint(client),
            self.revoke(client, &operator),
            self.rotate(client, &operator),
        );
    }
}

/// A random time, up to this many milliseconds.
fn some(milliseconds: u64) -> Duration {
    let mut random = [0; 4];
    getrandom::fill(&mut random).unwrap();
    Duration::from_micros(u64::from(u32::from_le_bytes(random)) % (1000 * milliseconds))
}

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    let kills = std::env::var("KLERO_TEST_CRASHES").map_or(10, |text| text.parse().unwrap());
    let test = Test::new();
    for _ in 0..kills {
        // Without files, and with those of before.
        let fresh = Test::new();
        fresh.start_and_kill(20).await;
        fresh.start().await;
        test.start_and_kill(60).await;

        let (mut child, client) = test.start().await;
        test.check(&client, CHECKED).await;
        timeout(some(500), test.work(&client)).await.ok();
        child.kill().await.unwrap();
    }
    let (_child, client) = test.start().await;
    test.check(&client, usize::MAX).await;
    let known = test.known();
    println!(
        "{kills} kills: {} tokens minted, {} revoked, {} roots added, {} removed",
        known.tokens.len(),
        known.revoked.len(),
        known.newest_root,
        known.removed.len()
    );
    // It has worked at all.
    assert!(known.tokens.len() > kills && known.revoked.len() > kills && known.newest_root > 0);
}
