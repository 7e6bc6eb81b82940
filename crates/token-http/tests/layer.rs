//! Which requests the layer lets through, in which order it checks, and what it says to the others.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::{pending, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use klero_token::{
    Caveat, Challenge, Error, RevocationId, RootKeys, Scheme, SecretKey, Token, Unverified,
    Verified,
};
use klero_token_http::{
    Authorized, Guard, Nonces, RecentNonces, Revocations, Roots, Sealed, Spend, TokenLayer,
    Unavailable, Unspendable, Verifier, now,
};
use tower::{Layer, ServiceExt, service_fn};

const AUTHORITY: &str = "jobs.example";
const EPOCH: [u8; 16] = [1; 16];

/// What the checks ask, with switches to make each fail.
#[derive(Default)]
struct Parts {
    roots: Roots,
    revoked: RwLock<BTreeSet<RevocationId>>,
    nonces: Option<RecentNonces>,
    spent: AtomicUsize,
    no_verifier: AtomicBool,
    no_revocations: AtomicBool,
    no_nonces: AtomicBool,
}

#[derive(Clone)]
struct World(Arc<Parts>);

impl Verifier for World {
    async fn verify(
        &self,
        token: Unverified,
        challenge: Challenge<'_>,
    ) -> Result<Result<Verified, Error>, Unavailable> {
        match self.0.no_verifier.load(Ordering::SeqCst) {
            true => Err(Unavailable),
            false => self.0.roots.verify(token, challenge).await,
        }
    }
}

impl Revocations for World {
    async fn among(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Unavailable> {
        match self.0.no_revocations.load(Ordering::SeqCst) {
            true => Err(Unavailable),
            false => self.0.revoked.among(ids).await,
        }
    }
}

impl Nonces for World {
    async fn spend(&self, spend: Spend<'_>) -> Result<(), Unspendable> {
        self.0.spent.fetch_add(1, Ordering::SeqCst);
        if self.0.no_nonces.load(Ordering::SeqCst) {
            return Err(Unspendable::Unavailable);
        }
        self.0.nonces.as_ref().unwrap().spend(spend).await
    }
}

type Body = BoxBody<Bytes, Infallible>;

fn whole(body: &[u8]) -> Body {
    Full::from(Bytes::copy_from_slice(body)).boxed()
}

impl World {
    fn new(root: &SecretKey) -> Self {
        Self(Arc::new(Parts {
            roots: RootKeys::from(*root.public_key()).into(),
            nonces: Some(RecentNonces::new(100)),
            ..Parts::default()
        }))
    }

    fn guard(&self) -> Guard<World, World, World> {
        let guard = Guard::new(AUTHORITY, self.clone(), self.clone(), self.clone()).unwrap();
        guard.epoch(EPOCH)
    }

    /// The answer to a request. Behind the layer is a service that says who asks, and how long the body is.
    fn ask(&self, request: Request<Body>) -> (StatusCode, HeaderMap, String) {
        ask(self.guard(), request)
    }
}

fn ask(
    guard: Guard<World, World, World>,
    request: Request<Body>,
) -> (StatusCode, HeaderMap, String) {
    let inner = service_fn(async |request: Request<Full<Bytes>>| {
        let authorized = request.extensions().get::<Authorized>();
        let rights = authorized.unwrap().rights.clone();
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let says = format!("{} {}", String::from_utf8_lossy(&rights), body.len());
        Ok::<_, Infallible>(Response::new(Full::<Bytes>::from(says)))
    });
    let service = TokenLayer::new(Arc::new(guard)).layer(inner);
    let (head, body) = pollster::block_on(service.oneshot(request))
        .unwrap()
        .into_parts();
    assert!(head.headers.contains_key("klero-epoch"));
    let body = pollster::block_on(body.collect()).unwrap().to_bytes();
    let body = String::from_utf8(body.into()).unwrap();
    if !head.status.is_success() {
        assert_eq!(head.headers["content-type"], "application/json");
        assert!(body.starts_with("{\"error\":\""), "{body}");
    }
    (head.status, head.headers, body)
}

/// A request with its token sealed to it.
fn seal(token: &Unverified, method: &str, target: &str, body: &[u8], random: u8) -> Request<Body> {
    let sealed = Sealed {
        epoch: &EPOCH,
        method,
        authority: AUTHORITY,
        target,
        body,
        random: &[random; 16],
        time: now(),
    };
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in sealed.headers(token).unwrap() {
        request = request.header(name, value);
    }
    request.body(whole(body)).unwrap()
}

fn mint(root: &SecretKey, id: u32) -> Unverified {
    let before = Caveat::Before(now() + 600);
    let token = Token::mint(root, id, b"alice", &[before]);
    token.unwrap().into_unverified()
}

fn root() -> SecretKey {
    SecretKey::generate(Scheme::Chain).unwrap()
}

#[test]
fn a_good_request_passes_once_with_its_rights_and_its_body() {
    let root = root();
    let world = World::new(&root);
    let token = mint(&root, 0);
    let request = seal(&token, "PUT", "/jobs/7?part=2", b"done", 0);
    let (status, _, says) = world.ask(request);
    assert_eq!((status, &*says), (StatusCode::OK, "alice 4"));
    let (status, _, says) = world.ask(seal(&token, "GET", "/jobs/7", b"", 1));
    assert_eq!((status, &*says), (StatusCode::OK, "alice 0"));
}

/// Each request has a fault for each check that comes later too: what is said is about the first.
#[test]
fn checks_are_made_in_order() {
    let root = root();
    let world = World::new(&root);
    let other = mint(&self::root(), 0);
    let over = mint(&root, 0).narrow(&[Caveat::Before(now())]).unwrap();
    let revoked = over.revocation_ids()[1];
    world.0.revoked.write().unwrap().insert(revoked);
    world.0.no_nonces.store(true, Ordering::SeqCst);

    let refused = |request, status, why: &str| {
        let (got, headers, says) = world.ask(request);
        assert_eq!(got, status);
        assert!(says.contains(why), "{says}");
        headers
    };
    let get = |token, target| seal(token, "GET", target, b"", 0);
    let without_time = |mut request: Request<Body>| {
        request.headers_mut().remove("klero-time");
        request
    };
    let switch = |switch: &AtomicBool, on| switch.store(on, Ordering::SeqCst);
    // Sizes.
    let large = without_time(seal(&other, "PUT", "/jobs//7", &[0; 100_000], 0));
    refused(large, StatusCode::PAYLOAD_TOO_LARGE, "");
    // Headers.
    let request = without_time(get(&other, "/jobs//7"));
    refused(request, StatusCode::BAD_REQUEST, "klero-time");
    let request = get(&other, "/jobs//7");
    refused(request, StatusCode::BAD_REQUEST, "normal form");
    // The seal, and all signatures.
    switch(&world.0.no_revocations, true);
    let wrong = "block 0: the signature";
    refused(get(&other, "/jobs/7"), StatusCode::UNAUTHORIZED, wrong);
    // Revocation.
    let headers = refused(get(&over, "/jobs/7"), StatusCode::SERVICE_UNAVAILABLE, "");
    assert_eq!(headers["retry-after"], "10");
    switch(&world.0.no_revocations, false);
    refused(get(&over, "/jobs/7"), StatusCode::UNAUTHORIZED, "revoked");
    // Caveats.
    world.0.revoked.write().unwrap().clear();
    refused(get(&over, "/jobs/7"), StatusCode::UNAUTHORIZED, "before ");
    // The nonce, which no request before came to.
    assert_eq!(world.0.spent.load(Ordering::SeqCst), 0);
    let good = mint(&root, 0);
    let headers = refused(get(&good, "/jobs/7"), StatusCode::SERVICE_UNAVAILABLE, "");
    assert_eq!(headers["retry-after"], "10");
    assert_eq!(world.0.spent.load(Ordering::SeqCst), 1);
    switch(&world.0.no_nonces, false);
    let request = || get(&good, "/jobs/7");
    assert_eq!(world.ask(request()).0, StatusCode::OK);
    let again = r#"{"error":"the request was made before"}"#;
    let headers = refused(request(), StatusCode::UNAUTHORIZED, again);
    assert_eq!(headers["www-authenticate"], "Klero");
}

#[test]
fn a_verifier_that_does_not_answer_refuses() {
    let root = root();
    let world = World::new(&root);
    world.0.no_verifier.store(true, Ordering::SeqCst);
    let (status, headers, says) = world.ask(seal(&mint(&root, 0), "GET", "/", b"", 0));
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(headers["retry-after"], "10");
    assert_eq!(says, r#"{"error":"the service cannot answer now"}"#);
}

#[test]
fn root_keys_change_while_the_service_runs() {
    let (old, new) = (root(), root());
    let world = World::new(&old);
    let status = |token: &Unverified, random| {
        let request = seal(token, "GET", "/jobs/7", b"", random);
        world.ask(request).0
    };
    let (of_old, of_new) = (mint(&old, 0), mint(&new, 1));
    assert_eq!(status(&of_old, 0), StatusCode::OK);
    assert_eq!(status(&of_new, 1), StatusCode::UNAUTHORIZED);

    let keys = [(0, *old.public_key()), (1, *new.public_key())];
    world.0.roots.set(keys.into_iter().collect());
    assert_eq!(status(&of_old, 2), StatusCode::OK);
    assert_eq!(status(&of_new, 3), StatusCode::OK);
    // Under the other's number, no key is good.
    assert_eq!(status(&mint(&old, 1), 4), StatusCode::UNAUTHORIZED);

    world.0.roots.set(keys.into_iter().skip(1).collect());
    assert_eq!(status(&of_old, 5), StatusCode::UNAUTHORIZED);
    assert_eq!(status(&of_new, 6), StatusCode::OK);
}

#[test]
fn caveats_compare_the_fields_that_the_service_states() {
    let root = root();
    let world = World::new(&root);
    let status = |caveat: &str, body: &[u8], random| {
        let token = mint(&root, 0).narrow(&[caveat.parse().unwrap()]).unwrap();
        let guard = world
            .guard()
            .fields(|request| vec![("bytes", request.body().len().to_string())]);
        ask(guard, seal(&token, "PUT", "/jobs/7", body, random)).0
    };
    let (granted, refused) = (StatusCode::OK, StatusCode::FORBIDDEN);
    assert_eq!(status("bytes at most 4", b"done", 0), granted);
    assert_eq!(status("bytes at most 4", b"done.", 1), refused);
    assert_eq!(status("bytes in 4 5", b"done.", 2), granted);
    // What it does not state is refused.
    assert_eq!(status("job in 7", b"done", 3), refused);
}

/// Without a runtime: the patience ends at once, and the body never.
#[test]
fn a_body_that_does_not_arrive_is_given_up() {
    let root = root();
    let world = World::new(&root);
    let mut request = seal(&mint(&root, 0), "PUT", "/jobs/7", b"done", 0);
    *request.body_mut() = Never.boxed();
    let guard = world.guard().patience(|| ready(()));
    assert_eq!(ask(guard, request).0, StatusCode::REQUEST_TIMEOUT);

    let request = seal(&mint(&root, 0), "PUT", "/jobs/7", b"done", 1);
    let guard = world.guard().patience(pending);
    assert_eq!(ask(guard, request).0, StatusCode::OK);
}

/// A body that gives nothing and does not end.
struct Never;

impl http_body::Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}
