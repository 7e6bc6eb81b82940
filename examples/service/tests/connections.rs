//! A client that opens connections and sends nothing keeps nobody else out.

mod common;

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use common::{AUTHORITY, World, alice, get};
use klero_service::client::Client;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;

/// Another address of this machine.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A connection with half a head.
async fn half_open(from: Ipv4Addr, address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((from, 0).into()).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream.write_all(b"GET /jobs/7 HTTP/1.1\r\n").await.unwrap();
    let stream = stream.into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    stream
}

/// Whether the service has closed it.
fn is_closed(stream: &mut TcpStream) -> bool {
    let patience = Some(Duration::from_millis(100));
    stream.set_read_timeout(patience).unwrap();
    let read = stream.read(&mut [0; 100]);
    match read {
        Ok(length) => length == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[tokio::test]
async fn half_open_heads_of_one_client_keep_no_other_out() {
    let mut world = World::new();
    world.settings.connections_of_each = 8;
    let (running, client) = world.start().await;
    let mut open = Vec::new();
    for _ in 0..1500 {
        let stream = half_open(ELSEWHERE, running.address).await;
        match open.len() < 20 {
            true => open.push(stream),
            false => drop(stream),
        }
    }
    let start = Instant::now();
    let token = alice(&client).await;
    let found = get(&client, &token, "/jobs/7").await;
    assert_eq!(found.status, StatusCode::NOT_FOUND);
    let waited = start.elapsed();
    assert!(waited < Duration::from_secs(5), "{waited:?}");

    // Its own further connections are closed at once.
    let count = move || open.iter_mut().map(is_closed).filter(|is| *is).count();
    let closed = tokio::task::spawn_blocking(count);
    assert_eq!(closed.await.unwrap(), 20 - 8);
    running.stop().await;
}

#[tokio::test]
async fn a_client_that_closes_its_connections_may_open_others() {
    let mut world = World::new();
    world.settings.connections_of_each = 2;
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    drop(client);
    for _ in 0..10 {
        let client = Client::new(running.address, AUTHORITY);
        let found = get(&client, &token, "/jobs/7").await;
        assert_eq!(found.status, StatusCode::NOT_FOUND);
    }
    running.stop().await;
}
