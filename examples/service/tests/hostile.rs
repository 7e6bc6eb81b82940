//! No request makes the service panic, and it answers the next one.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderValue, Method, Request, StatusCode};
use common::{World, alice, get, put};
use http_body_util::Full;
use klero_token_http::now;
use sha2::{Digest, Sha256};

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Random bytes with a fixed seed.
struct Random(u64);

impl Random {
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            self.0 += 1;
            bytes.extend(Sha256::digest(self.0.to_le_bytes()));
        }
        bytes.truncate(length);
        bytes
    }

    fn below(&mut self, bound: usize) -> usize {
        let bytes = self.bytes(8);
        bytes
            .iter()
            .fold(0, |sum, byte| (sum * 256 + usize::from(*byte)) % bound)
    }
}

/// A good request with some bytes of one header changed; `None` if no header can have them.
fn with_changed_header(
    mut request: Request<Full<Bytes>>,
    name: &'static str,
    random: &mut Random,
) -> Option<Request<Full<Bytes>>> {
    let value = request.headers().get(name);
    let mut value = value.map_or(Vec::new(), |value| value.as_bytes().to_vec());
    for _ in 0..=random.below(4) {
        let at = random.below(value.len() + 1);
        match random.below(3) {
            0 if at < value.len() => value[at] = random.bytes(1)[0],
            1 => value.truncate(at),
            _ => value.insert(at, random.bytes(1)[0]),
        }
    }
    let value = HeaderValue::from_bytes(&value).ok()?;
    request.headers_mut().insert(name, value);
    Some(request)
}

/// A first line, and noise behind it, in a header or in the body.
fn noisy(first_line: &str, random: &mut Random) -> Vec<u8> {
    let length = random.below(300);
    let noise = random.bytes(length);
    let mut request = format!("{first_line} HTTP/1.1\r\n").into_bytes();
    match random.below(3) {
        0 => request.extend(noise),
        1 => {
            request.extend(b"Authorization: Klero ");
            request.extend(noise.iter().map(|byte| b'!' + byte % 94));
            request.extend(b"\r\n\r\n");
        }
        _ => {
            request.extend(b"Host: a\r\nContent-Length: 300\r\n\r\n");
            request.extend(noise);
        }
    }
    request
}

/// Requests that are strange, or none.
const STRANGE: [&str; 12] = [
    "GET /jobs/7 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "GET /jobs/7 HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "GET /jobs/7 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET //jobs//7 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /jobs/../login HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http://other.example/jobs/7 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET http:///jobs/7 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /jobs/%00 HTTP/1.1\r\nHost: a\r\nAuthorization: Klero AAAA\r\n\r\n",
    "GET /jobs/7 HTTP/0.9\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{\"user\":[",
];

/// Sends bytes that are no request, or a strange one.
fn send_strange(address: SocketAddr, random: &mut Random) {
    for _ in 0..200 {
        let length = random.below(2000);
        send(address, &random.bytes(length));
    }
    let starts = [
        "GET /jobs/7",
        "PUT /jobs/7",
        "POST /login",
        "OPTIONS *",
        "CONNECT a:1",
    ];
    for round in 0..200 {
        send(address, &noisy(starts[round % starts.len()], random));
    }
    for request in STRANGE {
        send(address, request.as_bytes());
    }
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(2000));
    assert!(send(address, many.as_bytes()).starts_with(b"HTTP/1.1 431 "));
    let long = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(1_000_000));
    send(address, long.as_bytes());
}

#[tokio::test]
async fn no_request_makes_the_service_panic() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        usual(info);
    }));
    let mut world = World::new();
    world.settings.nonces = 100_000;
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    put(&client, &token, "/jobs/7", "done").await;
    let mut random = Random(0);
    let names = [
        "authorization",
        "klero-random",
        "klero-time",
        "host",
        "content-length",
    ];
    for round in 0..400 {
        let request = client
            .seal(&token, Method::GET, "/jobs/7", b"", now())
            .unwrap();
        let name = names[round % names.len()];
        let Some(request) = with_changed_header(request, name, &mut random) else {
            continue;
        };
        // A changed length may leave the service waiting for a body.
        tokio::time::timeout(Duration::from_millis(50), client.send(request))
            .await
            .ok();
    }
    let address = running.address;
    tokio::task::spawn_blocking(move || send_strange(address, &mut random))
        .await
        .unwrap();

    assert_eq!(PANICS.load(Ordering::SeqCst), 0);
    assert_eq!(get(&client, &token, "/jobs/7").await.status, StatusCode::OK);
    running.stop().await;
}

/// Sends bytes, and returns the beginning of the answer, if there is one.
fn send(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    // The service may have closed the connection.
    stream.write_all(request).ok();
    stream.shutdown(std::net::Shutdown::Write).ok();
    let mut answer = vec![0; 1024];
    let length = stream.read(&mut answer).unwrap_or(0);
    answer.truncate(length);
    answer
}
