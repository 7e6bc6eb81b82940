//! A sealed token is good for one request, once.

mod common;

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::{HeaderValue, Method, Request, StatusCode};
use common::{World, alice, error, get};
use http_body_util::Full;
use klero_service::client::Client;
use klero_token_http::{RANDOM, TIME, WINDOW, now};

#[tokio::test]
async fn a_replayed_request_is_refused() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let request = client
        .seal(&token, Method::PUT, "/jobs/7", b"once", now())
        .unwrap();
    let first = client.send(request.clone()).await.unwrap();
    assert_eq!(first.status, StatusCode::NO_CONTENT);
    let again = client.send(request.clone()).await.unwrap();
    assert_eq!(again.status, StatusCode::UNAUTHORIZED);
    assert_eq!(error(&again.body), "the request was made before");
    running.stop().await;

    // Nor does it count when the service has forgotten its nonces.
    let (running, _) = world.start().await;
    let (mut parts, body) = request.into_parts();
    parts.uri = format!("http://{}/jobs/7", running.address)
        .parse()
        .unwrap();
    let request = axum::http::Request::from_parts(parts, body);
    let later = client.send(request).await.unwrap();
    assert_eq!(later.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        error(&later.body),
        "token: seal: the signature does not hold"
    );
    // A client that knows the token only learns the new epoch from the refusal, and seals again.
    let client = Client::new(running.address, common::AUTHORITY);
    assert_eq!(
        get(&client, &token, "/jobs/7").await.status,
        StatusCode::NOT_FOUND
    );
    running.stop().await;
}

#[tokio::test]
async fn a_changed_request_is_refused() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let time = now();
    let seal = || {
        client
            .seal(&token, Method::PUT, "/jobs/7?part=2", b"body", time)
            .unwrap()
    };

    let changed = |change: &dyn Fn(&mut Request<Full<Bytes>>)| {
        let mut request = seal();
        change(&mut request);
        request
    };
    let at = |old: &str, new: &str| {
        changed(&|of| *of.uri_mut() = of.uri().to_string().replace(old, new).parse().unwrap())
    };
    let other = HeaderValue::from_static("AAAAAAAAAAAAAAAAAAAAAA");
    let later = HeaderValue::from(time + 1);
    let of_another_service = Client::new(running.address, "other.example");
    let authority = of_another_service
        .seal(&token, Method::PUT, "/jobs/7", b"body", time)
        .unwrap();

    for (what, request) in [
        ("method", changed(&|of| *of.method_mut() = Method::GET)),
        ("path", at("/7", "/8")),
        ("query", at("=2", "=3")),
        ("no query", at("?part=2", "")),
        ("body", changed(&|of| *of.body_mut() = Full::from("other"))),
        (
            "random",
            changed(&|of| drop(of.headers_mut().insert(RANDOM, other.clone()))),
        ),
        (
            "time",
            changed(&|of| drop(of.headers_mut().insert(TIME, later.clone()))),
        ),
        ("authority", authority),
    ] {
        let refused = client.send(request).await.unwrap();
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{what}");
        assert_eq!(
            error(&refused.body),
            "token: seal: the signature does not hold",
            "{what}"
        );
        assert_eq!(refused.headers["www-authenticate"], "Klero", "{what}");
    }

    // The service knows its own name, whatever a request says.
    let name = HeaderValue::from_static("other.example");
    let host = changed(&|of| drop(of.headers_mut().insert(HOST, name.clone())));
    let status = client.send(host).await.unwrap().status;
    assert_eq!(status, StatusCode::NO_CONTENT);
    running.stop().await;
}

#[tokio::test]
async fn a_token_that_is_not_sealed_is_refused() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let mut request = client
        .seal(&token, Method::GET, "/jobs/7", b"", now())
        .unwrap();
    let bearer = format!("Klero {}", *token.to_text().unwrap());
    request
        .headers_mut()
        .insert(AUTHORIZATION, bearer.parse().unwrap());
    let refused = client.send(request).await.unwrap();
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        error(&refused.body),
        "token: the token is not sealed, though a challenge was set"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_request_of_another_time_is_refused() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    // Five seconds of room, for a slow machine.
    let (early, late) = (now() - WINDOW - 1, now() + WINDOW + 5);
    for (time, status) in [
        (0, StatusCode::UNAUTHORIZED),
        (early, StatusCode::UNAUTHORIZED),
        (early + 6, StatusCode::NOT_FOUND),
        (late - 5, StatusCode::NOT_FOUND),
        (late, StatusCode::UNAUTHORIZED),
        (u64::MAX, StatusCode::UNAUTHORIZED),
    ] {
        let request = client
            .seal(&token, Method::GET, "/jobs/7", b"", time)
            .unwrap();
        assert_eq!(client.send(request).await.unwrap().status, status, "{time}");
    }
    running.stop().await;
}

#[tokio::test]
async fn a_full_store_of_nonces_refuses_and_forgets_nothing() {
    let mut world = World::new();
    world.settings.nonces = 4;
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let first = client
        .seal(&token, Method::PUT, "/jobs/7", b"1", now())
        .unwrap();
    assert_eq!(
        client.send(first.clone()).await.unwrap().status,
        StatusCode::NO_CONTENT
    );
    // A request that is refused for another reason takes no room.
    let narrow = token.narrow(&["method PUT".parse().unwrap()]).unwrap();
    for _ in 0..3 {
        assert_eq!(
            get(&client, &narrow, "/jobs/7").await.status,
            StatusCode::FORBIDDEN
        );
    }
    assert_eq!(get(&client, &token, "/jobs/7").await.status, StatusCode::OK);
    for _ in 0..3 {
        let refused = get(&client, &token, "/jobs/7").await;
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.headers["retry-after"], "10");
    }
    // Another user has room.
    let operator = world.operator(&client).await;
    assert_eq!(
        get(&client, &operator, "/jobs/7").await.status,
        StatusCode::NOT_FOUND
    );
    let again = client.send(first).await.unwrap();
    assert_eq!(again.status, StatusCode::UNAUTHORIZED);
    assert_eq!(error(&again.body), "the request was made before");
    running.stop().await;
}
