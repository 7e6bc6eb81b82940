//! Every refusal has its status, and says what refused.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use common::{World, alice, error, get};
use klero_service::client::{Client, ClientError};
use klero_token::{Caveat, Limits, Scheme, SecretKey, Token};
use klero_token_http::{RANDOM, TIME, now};

#[tokio::test]
async fn wrong_logins_are_all_refused_alike() {
    let world = World::new();
    let (running, client) = world.start().await;
    for (user, password) in [
        ("alice", ""),
        ("alice", "battery staple"),
        ("bob", ""),
        ("", ""),
    ] {
        let refused = client.log_in(user, password).await;
        assert!(matches!(
            refused,
            Err(ClientError::Refused(StatusCode::UNAUTHORIZED))
        ));
    }
    running.stop().await;
}

/// The token is invalid: the client needs another.
const NEEDS_ANOTHER: StatusCode = StatusCode::UNAUTHORIZED;
/// The token is valid, and does not allow the request.
const MAY_NOT: StatusCode = StatusCode::FORBIDDEN;

#[tokio::test]
async fn invalid_tokens_need_another_and_valid_ones_may_not() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let narrow = |caveat: Caveat| token.narrow(&[caveat]).unwrap();
    let caveat = |text: &str| text.parse::<Caveat>().unwrap();

    let mint = |rights: &[u8]| {
        let root = SecretKey::generate(Scheme::Chain).unwrap();
        Token::mint(&root, 0, rights, &[]).unwrap()
    };
    for (what, token, status) in [
        ("of another root", mint(b"alice"), NEEDS_ANOTHER),
        ("expired", narrow(Caveat::Before(now())), NEEDS_ANOTHER),
        ("not yet", narrow(Caveat::After(now() + 600)), MAY_NOT),
        ("another path", narrow(caveat("path /jobs/8")), MAY_NOT),
        ("another method", narrow(caveat("method PUT")), MAY_NOT),
        (
            "another service",
            narrow(caveat("audience other.example")),
            MAY_NOT,
        ),
        ("unknown field", narrow(caveat("colour = red")), MAY_NOT),
        (
            "opaque block",
            token.append(b"before noon").unwrap(),
            MAY_NOT,
        ),
    ] {
        let refused = get(&client, &token, "/jobs/7").await;
        assert_eq!(refused.status, status, "{what}: {refused:?}");
        assert!(error(&refused.body).starts_with("token: "), "{what}");
        let asks_for_another = refused.headers.contains_key("www-authenticate");
        assert_eq!(asks_for_another, status == NEEDS_ANOTHER, "{what}");
        assert_eq!(
            refused.headers["content-type"], "application/json",
            "{what}"
        );
    }
    running.stop().await;
}

/// A table: a request that differs from a good one in one thing, and the status of the answer.
#[tokio::test]
async fn what_cannot_be_parsed_is_a_bad_request() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let seal = || {
        client
            .seal(&token, Method::GET, "/jobs/7", b"", now())
            .unwrap()
    };
    let with = |name: HeaderName, value: &str| {
        let mut request = seal();
        request.headers_mut().insert(name, value.parse().unwrap());
        request
    };
    let twice = |name: HeaderName| {
        let mut request = seal();
        let value = request.headers()[&name].clone();
        request.headers_mut().append(name, value);
        request
    };
    let without = |name: HeaderName| {
        let mut request = seal();
        request.headers_mut().remove(name);
        request
    };
    let text = seal().headers()[AUTHORIZATION].to_str().unwrap().to_owned();
    let cut = &text[..text.len() - 4];
    let mut not_text = seal();
    let bytes = HeaderValue::from_bytes(b"Klero \xff").unwrap();
    not_text.headers_mut().insert(AUTHORIZATION, bytes);

    for (what, request, status) in [
        ("no token", without(AUTHORIZATION), StatusCode::UNAUTHORIZED),
        (
            "another scheme",
            with(AUTHORIZATION, "Bearer abc"),
            StatusCode::UNAUTHORIZED,
        ),
        (
            "an empty token",
            with(AUTHORIZATION, "Klero "),
            StatusCode::UNAUTHORIZED,
        ),
        (
            "no base64",
            with(AUTHORIZATION, "Klero a.b"),
            StatusCode::BAD_REQUEST,
        ),
        (
            "no token in it",
            with(AUTHORIZATION, "Klero AAAA"),
            StatusCode::BAD_REQUEST,
        ),
        (
            "a truncated token",
            with(AUTHORIZATION, cut),
            StatusCode::BAD_REQUEST,
        ),
        (
            "more behind it",
            with(AUTHORIZATION, &format!("{text}AAAA")),
            StatusCode::BAD_REQUEST,
        ),
        ("a token that is no text", not_text, StatusCode::BAD_REQUEST),
        ("two tokens", twice(AUTHORIZATION), StatusCode::BAD_REQUEST),
        ("two times", twice(TIME), StatusCode::BAD_REQUEST),
        ("two randoms", twice(RANDOM), StatusCode::BAD_REQUEST),
        ("no random", without(RANDOM), StatusCode::BAD_REQUEST),
        (
            "a short random",
            with(RANDOM, "AAAA"),
            StatusCode::BAD_REQUEST,
        ),
        (
            "a long random",
            with(RANDOM, "AAAAAAAAAAAAAAAAAAAAAAAA"),
            StatusCode::BAD_REQUEST,
        ),
        ("no time", without(TIME), StatusCode::BAD_REQUEST),
        ("a negative time", with(TIME, "-1"), StatusCode::BAD_REQUEST),
        (
            "a time of words",
            with(TIME, "noon"),
            StatusCode::BAD_REQUEST,
        ),
        (
            "a huge time",
            with(TIME, "99999999999999999999"),
            StatusCode::BAD_REQUEST,
        ),
    ] {
        let refused = client.send(request).await.unwrap();
        assert_eq!(refused.status, status, "{what}: {refused:?}");
        assert!(!error(&refused.body).is_empty(), "{what}");
    }
    // The router would decode these, and a caveat on the path might see something else.
    for target in ["/jobs/%37", "/jobs/7%2e"] {
        let refused = get(&client, &token, target).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{target}");
    }
    let operator = world.operator(&client).await;
    for id in ["00", "xyz", &"g".repeat(64), &"0".repeat(66)] {
        let target = format!("/revocations/{id}");
        let refused = client
            .call(&operator, Method::POST, &target, b"")
            .await
            .unwrap();
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{id}");
    }
    let body = client
        .call(&token, Method::PUT, "/jobs/7", b"\xff")
        .await
        .unwrap();
    assert_eq!(body.status, StatusCode::BAD_REQUEST);
    running.stop().await;
}

#[tokio::test]
async fn too_large_a_token_is_refused() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let status = async |token: &Token| get(&client, token, "/jobs/7").await.status;

    // Too many signatures: each block has one, and the seal.
    let mut narrow = token.clone();
    for _ in 0..14 {
        narrow = narrow.narrow(&[]).unwrap();
    }
    assert_eq!(status(&narrow).await, StatusCode::NOT_FOUND);
    narrow = narrow.narrow(&[]).unwrap();
    assert_eq!(
        status(&narrow).await,
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
    );
    // Too many bytes for a token, then for a head, by a client that has no limits of its own.
    let limits = Limits {
        bytes: usize::MAX,
        ..Limits::default()
    };
    let unlimited = Token::decode(&token.encode().unwrap(), &limits).unwrap();
    for bytes in [4096, 10_000, 100_000] {
        let large = unlimited.append(&vec![b'a'; bytes]).unwrap();
        assert_eq!(
            status(&large).await,
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "{bytes}"
        );
    }
    running.stop().await;
}

#[tokio::test]
async fn too_large_a_body_is_refused_unread() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let full = "a".repeat(64 * 1024);
    let put = async |body: &str| {
        let body = body.as_bytes();
        client
            .call(&token, Method::PUT, "/jobs/7", body)
            .await
            .unwrap()
            .status
    };
    assert_eq!(put(&full).await, StatusCode::NO_CONTENT);
    let address = running.address;
    let raw = async move |request: String| {
        let exchange = move || exchange(address, &request);
        tokio::task::spawn_blocking(exchange).await.unwrap()
    };
    // Nothing of these bodies is sent: their announced length is enough.
    let login = "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n";
    assert!(raw(login.into()).await.starts_with("HTTP/1.1 413 "));
    let request = client
        .seal(&token, Method::PUT, "/jobs/7", b"", now())
        .unwrap();
    let mut put = String::from("PUT /jobs/7 HTTP/1.1\r\nContent-Length: 99999999999\r\n");
    for (name, value) in request.headers() {
        put += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    assert!(raw(put + "\r\n").await.starts_with("HTTP/1.1 413 "));
    // A body in chunks, whose length is not announced.
    let chunk = format!("10001\r\n{}a\r\n0\r\n\r\n", "a".repeat(64 * 1024));
    let head = "POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert!(
        raw(format!("{head}{chunk}"))
            .await
            .starts_with("HTTP/1.1 413 ")
    );
    running.stop().await;
}

/// Sends bytes, and returns the head of the answer.
fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = [0; 1024];
    let length = stream.read(&mut answer).unwrap();
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

#[tokio::test]
async fn clients_and_services_of_other_names_do_not_meet() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let other = Client::new(running.address, "other.example");
    let refused = get(&other, &token, "/jobs/7").await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    running.stop().await;
}
