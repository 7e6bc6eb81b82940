//! A path means one thing, tokens are checked before anything else, and every error is JSON.

mod common;

use axum::body::Bytes;
use axum::http::{Method, Request, StatusCode};
use common::{World, alice, error, get, put};
use http_body_util::Full;
use klero_service::client::{Client, Reply};
use klero_token::Token;

/// Paths that some reader takes for job 7, and paths that there are not.
const OTHERS: [&str; 16] = [
    "/jobs/07",
    "/jobs/+7",
    "/jobs/7;x",
    "/jobs/7;",
    "/jobs/7,",
    "/jobs/-7",
    "/jobs/0x7",
    "/jobs/7.0",
    "/jobs/seven",
    "/jobs/99999999999",
    "/jobs/7/x",
    "/jobs",
    "/Jobs/7",
    "/roots/00",
    "/login/x",
    "/",
];

async fn call(client: &Client, token: &Token, method: Method, target: &str) -> Reply {
    client.call(token, method, target, b"").await.unwrap()
}

#[tokio::test]
async fn a_job_has_one_path() {
    let world = World::new();
    let (running, client) = world.start().await;
    // This one is for every path.
    let token = world.operator(&client).await;
    let done = put(&client, &token, "/jobs/7", "done").await;
    assert_eq!(done.status, StatusCode::NO_CONTENT);
    for target in OTHERS {
        let read = call(&client, &token, Method::GET, target).await;
        let there_is_one = ["/roots/00"].contains(&target);
        let status = match there_is_one {
            true => StatusCode::METHOD_NOT_ALLOWED,
            false => StatusCode::NOT_FOUND,
        };
        assert_eq!(read.status, status, "{target}");
        error(&read.body);
    }
    for target in ["/jobs/07", "/jobs/+7", "/jobs/7;x"] {
        let written = put(&client, &token, target, "other").await;
        assert_eq!(written.status, StatusCode::NOT_FOUND, "{target}");
    }
    assert_eq!(get(&client, &token, "/jobs/7").await.body, "done");
    // The others are refused by the layer, before any route.
    for target in [
        "/jobs/%37",
        "/jobs/7%2e",
        "/jobs//7",
        "/jobs/7/",
        "/jobs/./7",
    ] {
        let refused = call(&client, &token, Method::GET, target).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{target}");
        error(&refused.body);
    }
    running.stop().await;
}

#[tokio::test]
async fn who_has_no_token_learns_nothing_of_a_path() {
    let world = World::new();
    let (running, client) = world.start().await;
    let bare = async |method: Method, target: &str| {
        let uri = format!("http://{}{target}", running.address);
        let request = Request::builder().method(method).uri(uri);
        let request = request.body(Full::<Bytes>::default()).unwrap();
        client.send(request).await.unwrap()
    };
    let there_are = ["/jobs/7", "/roots", "/revocations/00"];
    for target in OTHERS.into_iter().chain(there_are) {
        for method in [Method::GET, Method::PUT, Method::POST, Method::DELETE] {
            let refused = bare(method, target).await;
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{target}");
            assert!(error(&refused.body).starts_with("no token"), "{target}");
        }
    }
    // The one path without a token.
    let refused = bare(Method::GET, "/login").await;
    assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED);
    error(&refused.body);
    let refused = bare(Method::POST, "/login").await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    error(&refused.body);
    running.stop().await;
}

#[tokio::test]
async fn a_narrow_token_says_no_before_the_route_does() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let narrow = token.narrow(&["path /jobs/7".parse().unwrap()]).unwrap();
    for target in OTHERS {
        let refused = get(&client, &narrow, target).await;
        let status = match target {
            "/jobs/7/x" => StatusCode::NOT_FOUND,
            _ => StatusCode::FORBIDDEN,
        };
        assert_eq!(refused.status, status, "{target}");
    }
    let refused = call(&client, &token, Method::DELETE, "/jobs/7").await;
    assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(error(&refused.body), "no such method on this path");
    running.stop().await;
}

/// The caveats of the application, about fields that the service states.
#[tokio::test]
async fn a_token_is_narrowed_to_some_jobs_of_a_size() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    let caveats = ["job in 7 9", "bytes at most 4", "depth 1"];
    let narrow = token
        .narrow(&caveats.map(|text| text.parse().unwrap()))
        .unwrap();
    for (target, body, status) in [
        ("/jobs/7", "done", StatusCode::NO_CONTENT),
        ("/jobs/9", "", StatusCode::NO_CONTENT),
        ("/jobs/8", "done", StatusCode::FORBIDDEN),
        ("/jobs/07", "done", StatusCode::FORBIDDEN),
        ("/jobs/7", "done.", StatusCode::FORBIDDEN),
    ] {
        let reply = put(&client, &narrow, target, body).await;
        assert_eq!(reply.status, status, "{target} {body}");
    }
    // Its holder may pass it on once more, narrower, and not twice.
    let once = narrow.narrow(&["method GET".parse().unwrap()]).unwrap();
    assert_eq!(get(&client, &once, "/jobs/7").await.body, "done");
    let twice = once.narrow(&[]).unwrap();
    let refused = get(&client, &twice, "/jobs/7").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    running.stop().await;
}
