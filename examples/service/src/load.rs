//! Load: clients that seal and send as fast as the answers come, for a bounded time.
//!
//! Clients and service share one process and the processor's cores, so the rate is that of both
//! together: half of the work of a request, sealing it, is the client's.

use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use klero_token::{Caveat, Token};
use klero_token_http::now;
use tokio::task::JoinSet;

use crate::client::{Client, ClientError};

/// What was measured.
pub struct Report {
    connections: usize,
    elapsed: Duration,
    /// The time of each request, sorted.
    latencies: Vec<Duration>,
}

/// Loads the service that listens there.
///
/// # Errors
/// What a client could not do. A refusal is an error here.
pub async fn run(
    address: SocketAddr,
    authority: &str,
    connections: usize,
    time: Duration,
) -> Result<Report, Box<dyn Error + Send + Sync>> {
    let client = Client::new(address, authority);
    let token = client.log_in("alice", "correct horse").await?;
    expect(
        client
            .call(&token, Method::PUT, "/jobs/7", b"done")
            .await?
            .status,
    )?;
    // As a browser tab has it: narrowed for a job, and again.
    let token = token.narrow(&[Caveat::Before(now() + 3600), "path /jobs/7".parse()?])?;
    let token = token.narrow(&["method GET".parse()?])?;

    let client = Arc::new(client);
    let start = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..connections {
        clients.spawn(ask_until(client.clone(), token.clone(), start + time));
    }
    let mut latencies = Vec::new();
    while let Some(client) = clients.join_next().await {
        latencies.extend(client??);
    }
    let elapsed = start.elapsed();
    latencies.sort();
    Ok(Report {
        connections,
        elapsed,
        latencies,
    })
}

async fn ask_until(
    client: Arc<Client>,
    token: Token,
    end: Instant,
) -> Result<Vec<Duration>, ClientError> {
    let mut latencies = Vec::new();
    loop {
        let start = Instant::now();
        if start >= end {
            return Ok(latencies);
        }
        expect(
            client
                .call(&token, Method::GET, "/jobs/7", b"")
                .await?
                .status,
        )?;
        latencies.push(start.elapsed());
    }
}

fn expect(status: StatusCode) -> Result<(), ClientError> {
    match status.is_success() {
        true => Ok(()),
        false => Err(ClientError::Refused(status)),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.latencies.len();
        let at = |part: f64| {
            let index = (count as f64 * part) as usize;
            let latency = self.latencies.get(index).copied().unwrap_or_default();
            latency.as_secs_f64() * 1e3
        };
        writeln!(f, "processor    {}", processor())?;
        writeln!(f, "connections  {}", self.connections)?;
        writeln!(
            f,
            "requests     {count} in {:.1} s",
            self.elapsed.as_secs_f64()
        )?;
        writeln!(
            f,
            "rate         {:.0} a second",
            count as f64 / self.elapsed.as_secs_f64()
        )?;
        write!(
            f,
            "latency      {:.2} ms median, {:.2} ms p99",
            at(0.5),
            at(0.99)
        )
    }
}

/// The name of the processor, and how many cores there are.
fn processor() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = model.map_or("unknown", |(_, name)| name);
    format!("{name}, {cores} cores")
}
