//! A token from login to revocation, as the README tells it.

mod common;

use axum::http::{Method, StatusCode};
use common::{AUTHORITY, CODE, World, alice, error, get, put};
use klero_service::client::Client;
use klero_service::second_factor::LASTS;
use klero_token::{Caveat, Limits, PublicKey, Scheme, SecretKey, Statement, Token};
use klero_token_http::now;

#[tokio::test]
async fn a_login_mints_a_token_with_caveats() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;

    let pem = std::fs::read_to_string(world.key_file()).unwrap();
    let root: PublicKey = *SecretKey::from_pem(Scheme::Chain, &pem)
        .unwrap()
        .public_key();
    let verified = token.clone().verify(&root.into(), None).unwrap();
    let block = &verified.blocks()[0];
    assert_eq!(block.payload(), b"alice");
    let caveats = std::str::from_utf8(block.caveats()).unwrap();
    let lines: Vec<_> = caveats.lines().collect();
    assert!(lines[0].starts_with("before "));
    assert_eq!(lines[1..], ["audience jobs.example", "path /jobs"]);

    assert_eq!(
        put(&client, &token, "/jobs/7", "done").await.status,
        StatusCode::NO_CONTENT
    );
    assert_eq!(get(&client, &token, "/jobs/7").await.body, "done");
    assert_eq!(
        get(&client, &token, "/jobs/8").await.status,
        StatusCode::NOT_FOUND
    );
    running.stop().await;
}

#[tokio::test]
async fn a_token_is_narrowed_for_a_job_and_again_in_a_tab() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    put(&client, &token, "/jobs/7", "done").await;
    put(&client, &token, "/jobs/8", "done").await;

    // The user gives each job a token of its own. Nobody is asked.
    let caveats = [
        "path /jobs/7".parse().unwrap(),
        "method GET PUT".parse().unwrap(),
        Caveat::Before(now() + 600),
    ];
    let job = token.narrow(&caveats).unwrap();
    assert_eq!(
        put(&client, &job, "/jobs/7", "again").await.status,
        StatusCode::NO_CONTENT
    );
    let refused = get(&client, &job, "/jobs/8").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(
        error(&refused.body),
        "token: block 1: path /jobs/7: it does not hold"
    );

    // The job shows a page, and gives it the text of a token that can only look. The page is
    // another program: it knows the text, and the name of the service.
    let text = job.to_text().unwrap();
    let tab = Client::new(running.address, AUTHORITY);
    let token = Token::from_text(&text, &Limits::default()).unwrap();
    let token = token.narrow(&["method GET".parse().unwrap()]).unwrap();
    assert_eq!(get(&tab, &token, "/jobs/7").await.body, "again");
    assert_eq!(get(&tab, &token, "/jobs/7?part=2").await.body, "again");
    let refused = put(&tab, &token, "/jobs/7", "no").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(
        error(&refused.body),
        "token: block 2: method GET: it does not hold"
    );

    // Nothing that is added makes it wider.
    let wider = token.narrow(&[
        "path /jobs".parse().unwrap(),
        "method GET PUT".parse().unwrap(),
    ]);
    let wider = wider.unwrap();
    assert_eq!(
        put(&tab, &wider, "/jobs/7", "no").await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        get(&tab, &wider, "/jobs/8").await.status,
        StatusCode::FORBIDDEN
    );
    running.stop().await;
}

#[tokio::test]
async fn a_third_party_vouches_for_operators() {
    let world = World::new();
    let (running, client) = world.start().await;
    let revocation = format!("/revocations/{}", "0".repeat(64));
    let revoke = async |token: &_| {
        client
            .call(token, Method::POST, &revocation, b"")
            .await
            .unwrap()
    };

    let token = client.log_in("olga", "battery staple").await.unwrap();
    let refused = revoke(&token).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(error(&refused.body).starts_with("token: block 0: vouched ed25519:"));

    // The request is 69 bytes, and says nothing about the token.
    let request = token.request().unwrap().encode();
    assert_eq!(
        world.second_factor.vouch("olga", "wrong", &request, now()),
        Ok(None)
    );
    let append = |user: &str, now: u64| {
        let statement = world
            .second_factor
            .vouch(user, CODE, &request, now)
            .unwrap()
            .unwrap();
        let statement = Statement::decode(&statement, &Limits::default()).unwrap();
        token.append_statement(&statement).unwrap()
    };
    // Another user's second factor does not count.
    assert_eq!(
        revoke(&append("alice", now())).await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        revoke(&append("olga", now())).await.status,
        StatusCode::NO_CONTENT
    );
    // A second factor counts for a while only.
    let old = append("olga", now() - LASTS);
    assert_eq!(revoke(&old).await.status, StatusCode::FORBIDDEN);

    // A statement for one token is none for another.
    let statement = world
        .second_factor
        .vouch("olga", CODE, &request, now())
        .unwrap()
        .unwrap();
    let statement = Statement::decode(&statement, &Limits::default()).unwrap();
    let other = client.log_in("olga", "battery staple").await.unwrap();
    assert!(other.append_statement(&statement).is_err());
    running.stop().await;
}

#[tokio::test]
async fn a_revoked_token_stays_revoked_when_the_service_starts_again() {
    let world = World::new();
    let (running, client) = world.start().await;
    let token = alice(&client).await;
    put(&client, &token, "/jobs/7", "done").await;
    let job = token.narrow(&["path /jobs/7".parse().unwrap()]).unwrap();
    let tab = job.narrow(&["method GET".parse().unwrap()]).unwrap();
    assert_eq!(get(&client, &tab, "/jobs/7").await.status, StatusCode::OK);

    // A token of a user who is no operator revokes nothing.
    let id = job.revocation_ids()[1];
    let target = format!("/revocations/{id}");
    let revoked_block = format!("token: block 1: {id}: the block is revoked");
    let refused = client
        .call(&token, Method::POST, &target, b"")
        .await
        .unwrap();
    assert_eq!(refused.status, StatusCode::FORBIDDEN);

    let operator = world.operator(&client).await;
    let revoked = client
        .call(&operator, Method::POST, &target, b"")
        .await
        .unwrap();
    assert_eq!(revoked.status, StatusCode::NO_CONTENT);
    for revoked in [&job, &tab] {
        let refused = get(&client, revoked, "/jobs/7").await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
        assert_eq!(error(&refused.body), revoked_block);
    }
    // The token that they were made of is still good.
    assert_eq!(get(&client, &token, "/jobs/7").await.status, StatusCode::OK);
    running.stop().await;

    let (running, client) = world.start().await;
    assert_eq!(
        put(&client, &token, "/jobs/7", "done").await.status,
        StatusCode::NO_CONTENT
    );
    for revoked in [&job, &tab] {
        let refused = get(&client, revoked, "/jobs/7").await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
        assert_eq!(error(&refused.body), revoked_block);
    }
    running.stop().await;
}
