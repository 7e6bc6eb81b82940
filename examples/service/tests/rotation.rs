//! Root keys change: tokens of the old one count until it is removed.

mod common;

use axum::http::{Method, StatusCode};
use common::{World, alice, error, get};
use klero_service::client::{Client, Reply};
use klero_service::router::Rotated;
use klero_token::Token;

async fn rotate(client: &Client, operator: &Token) -> Reply {
    client
        .call(operator, Method::POST, "/roots", b"")
        .await
        .unwrap()
}

async fn remove(client: &Client, operator: &Token, root: &str) -> StatusCode {
    let target = format!("/roots/{root}");
    let reply = client.call(operator, Method::DELETE, &target, b"").await;
    reply.unwrap().status
}

#[tokio::test]
async fn an_old_root_counts_until_it_is_removed() {
    let world = World::new();
    let (running, client) = world.start().await;
    let old = alice(&client).await;
    let operator = world.operator(&client).await;
    assert_eq!(old.root_id(), 0);
    assert_eq!(remove(&client, &operator, "0").await, StatusCode::CONFLICT);

    let rotated = rotate(&client, &operator).await;
    assert_eq!(rotated.status, StatusCode::CREATED);
    let rotated: Rotated = serde_json::from_slice(&rotated.body).unwrap();
    assert_eq!(rotated.root, 1);
    let new = alice(&client).await;
    assert_eq!(new.root_id(), 1);
    for token in [&old, &new] {
        let found = get(&client, token, "/jobs/7").await;
        assert_eq!(found.status, StatusCode::NOT_FOUND);
    }
    running.stop().await;

    // Nothing needs the secret key of an old root.
    std::fs::remove_file(world.key_file()).unwrap();
    let (running, client) = world.start().await;
    for token in [&old, &new] {
        let found = get(&client, token, "/jobs/7").await;
        assert_eq!(found.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(alice(&client).await.root_id(), 1);

    // The operator logs in again, since the token of root 0 ends with it.
    assert_eq!(
        remove(&client, &operator, "0").await,
        StatusCode::NO_CONTENT
    );
    let refused = get(&client, &old, "/jobs/7").await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert_eq!(error(&refused.body), "token: no root key has the number 0");
    let found = get(&client, &new, "/jobs/7").await;
    assert_eq!(found.status, StatusCode::NOT_FOUND);
    let operator = world.operator(&client).await;
    for root in ["0", "2", "01", "x"] {
        assert_eq!(
            remove(&client, &operator, root).await,
            StatusCode::NOT_FOUND
        );
    }
    running.stop().await;

    // It stays removed.
    let (running, client) = world.start().await;
    let refused = get(&client, &old, "/jobs/7").await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    running.stop().await;
}

#[tokio::test]
async fn only_operators_change_roots() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    assert_eq!(rotate(&client, &token).await.status, StatusCode::FORBIDDEN);
    assert_eq!(remove(&client, &token, "0").await, StatusCode::FORBIDDEN);
    // Nor an operator without the second factor.
    let token = client.log_in("olga", "battery staple").await.unwrap();
    assert_eq!(rotate(&client, &token).await.status, StatusCode::FORBIDDEN);
    assert_eq!(alice(&client).await.root_id(), 0);
    running.stop().await;
}

#[tokio::test]
async fn another_key_in_the_file_is_an_error_that_names_it() {
    let world = World::new();
    let (running, _) = world.start().await;
    running.stop().await;
    std::fs::remove_file(world.key_file()).unwrap();
    let error = klero_service::server::Running::start(world.settings.clone()).await;
    let error = error.err().unwrap().to_string();
    assert!(error.contains("root-0.pem: not the key"), "{error}");
}
