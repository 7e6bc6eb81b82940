//! Tests of the layer: accepted requests, the order of its checks, and its answers to refused requests.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::{pending, poll_fn, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use klero_token::{
    Caveat, Challenge, Limits, RevocationId, RootKeys, Scheme, SecretKey, Token, Verified,
};
use klero_token_http::{
    Authorized, Guard, MemoryStore, Refusal, SCHEME, Sealed, Spend, Store, TokenLayer, now,
    read_random,
};
use tower::{Layer, ServiceExt, service_fn};

const AUTHORITY: &str = "jobs.example";
const EPOCH: [u8; 16] = [1; 16];

/// The time of all requests. It is fixed, so that two requests do not differ because the clock advanced.
static TIME: LazyLock<u64> = LazyLock::new(now);

/// The functions of the store that a test can make fail.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Verify,
    Revoked,
    Spend,
}

#[derive(Clone, Copy)]
enum Fails {
    Unavailable,
    Panics,
    /// The store does not answer while this failure is set.
    Waits,
}

/// A store whose functions can be made to fail.
struct World {
    memory: MemoryStore,
    fails: Mutex<Vec<(Asked, Fails)>>,
    spent: AtomicUsize,
}

impl World {
    async fn asked(&self, asked: Asked) -> Result<(), Refusal> {
        poll_fn(|_| match self.fails_now(asked) {
            None => Poll::Ready(Ok(())),
            Some(Fails::Unavailable) => Poll::Ready(Err(Refusal::Unavailable)),
            Some(Fails::Panics) => panic!("as a store may"),
            Some(Fails::Waits) => Poll::Pending,
        })
        .await
    }

    fn fails_now(&self, asked: Asked) -> Option<Fails> {
        let fails = self.fails.lock().unwrap();
        let found = fails.iter().find(|(which, _)| *which == asked);
        found.map(|(_, fails)| *fails)
    }
}

impl Store for World {
    fn roots(&self) -> Arc<RootKeys> {
        self.memory.roots()
    }

    async fn revoked(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Refusal> {
        self.asked(Asked::Revoked).await?;
        self.memory.revoked(ids).await
    }

    async fn spend(&self, spend: Spend<'_>) -> Result<(), Refusal> {
        self.spent.fetch_add(1, Ordering::SeqCst);
        self.asked(Asked::Spend).await?;
        self.memory.spend(spend).await
    }

    async fn verify(&self, token: Token, challenge: Challenge<'_>) -> Result<Verified, Refusal> {
        self.asked(Asked::Verify).await?;
        self.memory.verify(token, challenge).await
    }
}

type Body = BoxBody<Bytes, Infallible>;

fn whole(body: &[u8]) -> Body {
    Full::from(Bytes::copy_from_slice(body)).boxed()
}

impl World {
    fn new(root: &SecretKey) -> Arc<Self> {
        Arc::new(Self {
            memory: MemoryStore::new(RootKeys::from(*root.public_key()), 100),
            fails: Mutex::default(),
            spent: AtomicUsize::default(),
        })
    }

    fn fail(&self, fails: &[(Asked, Fails)]) {
        *self.fails.lock().unwrap() = fails.to_vec();
    }

    fn guard(self: &Arc<Self>) -> Guard<World> {
        Guard::new(AUTHORITY, self.clone()).unwrap().epoch(EPOCH)
    }

    /// Returns the answer to a request. The service behind the layer answers with the rights of the token and
    /// the length of the body.
    fn ask(self: &Arc<Self>, request: Request<Body>) -> (StatusCode, HeaderMap, String) {
        ask(self.guard(), request)
    }
}

fn ask(guard: Guard<World>, request: Request<Body>) -> (StatusCode, HeaderMap, String) {
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

/// Returns a request with `token` sealed to it.
fn seal(token: &Token, method: &str, target: &str, body: &[u8], random: u8) -> Request<Body> {
    let sealed = Sealed {
        epoch: &EPOCH,
        method,
        authority: AUTHORITY,
        target,
        body,
        random: &[random; 16],
        time: *TIME,
    };
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in sealed.headers(token).unwrap() {
        request = request.header(name, value);
    }
    request.body(whole(body)).unwrap()
}

fn mint(root: &SecretKey, id: u32) -> Token {
    let before = Caveat::Before(now() + 600);
    let token = Token::mint(root, id, b"alice", &[before]);
    token.unwrap()
}

fn root() -> SecretKey {
    SecretKey::generate(Scheme::Chain).unwrap()
}

fn waits(future: Pin<&mut impl Future>) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    future.poll(&mut context).is_pending()
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

/// Each request fails one check and also every later check. The answer must be about the first failure.
#[test]
fn checks_are_made_in_order() {
    let root = root();
    let world = World::new(&root);
    let other = mint(&self::root(), 0);
    let over = || mint(&root, 0).narrow(&[Caveat::Before(now())]).unwrap();
    let (over, revoked) = (over(), over());
    world.memory.revoke(revoked.revocation_ids()[1]);
    let no_nonces = (Asked::Spend, Fails::Unavailable);

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
    let nothing_later = [(Asked::Revoked, Fails::Unavailable), no_nonces];
    world.fail(&[
        (Asked::Verify, Fails::Unavailable),
        nothing_later[0],
        no_nonces,
    ]);
    // Sizes.
    let large = without_time(seal(&other, "PUT", "/jobs//7", &[0; 100_000], 0));
    refused(large, StatusCode::PAYLOAD_TOO_LARGE, "");
    // Headers.
    let request = without_time(get(&other, "/jobs//7"));
    refused(request, StatusCode::BAD_REQUEST, "klero-time");
    let request = get(&other, "/jobs//7");
    refused(request, StatusCode::BAD_REQUEST, "normal form");
    // The seal, and all signatures.
    world.fail(&nothing_later);
    let wrong = "block 0: the signature";
    refused(get(&other, "/jobs/7"), StatusCode::UNAUTHORIZED, wrong);
    // Revocation.
    let request = || get(&revoked, "/jobs/7");
    let headers = refused(request(), StatusCode::SERVICE_UNAVAILABLE, "");
    assert_eq!(headers["retry-after"], "10");
    world.fail(&[no_nonces]);
    refused(request(), StatusCode::UNAUTHORIZED, "revoked");
    // Caveats.
    refused(get(&over, "/jobs/7"), StatusCode::UNAUTHORIZED, "before ");
    // The nonce. No earlier request has reached this check.
    assert_eq!(world.spent.load(Ordering::SeqCst), 0);
    let good = mint(&root, 0);
    let headers = refused(get(&good, "/jobs/7"), StatusCode::SERVICE_UNAVAILABLE, "");
    assert_eq!(headers["retry-after"], "10");
    assert_eq!(world.spent.load(Ordering::SeqCst), 1);
    world.fail(&[]);
    let request = || get(&good, "/jobs/7");
    assert_eq!(world.ask(request()).0, StatusCode::OK);
    let again = r#"{"error":"the request was made before"}"#;
    let headers = refused(request(), StatusCode::UNAUTHORIZED, again);
    assert_eq!(headers["www-authenticate"], "Klero");
}

#[test]
fn a_store_that_cannot_answer_refuses() {
    let root = root();
    let world = World::new(&root);
    let request = || seal(&mint(&root, 0), "GET", "/", b"", 0);
    for asked in [Asked::Verify, Asked::Revoked, Asked::Spend] {
        world.fail(&[(asked, Fails::Unavailable)]);
        let (status, headers, says) = world.ask(request());
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(headers["retry-after"], "10");
        assert_eq!(says, r#"{"error":"the service cannot answer now"}"#);
    }
}

/// While a store fails, no request passes. Afterwards the same request passes, because its nonce is unspent.
#[test]
fn a_store_that_panics_or_never_answers_lets_nothing_through() {
    let root = root();
    let world = World::new(&root);
    let token = mint(&root, 0);
    let request = || seal(&token, "GET", "/jobs/7", b"", 0);
    for asked in [Asked::Verify, Asked::Revoked, Asked::Spend] {
        world.fail(&[(asked, Fails::Panics)]);
        let answer = catch_unwind(AssertUnwindSafe(|| world.ask(request())));
        assert!(answer.is_err());

        world.fail(&[(asked, Fails::Waits)]);
        let guard = world.guard();
        let mut answer = pin!(guard.authorize(request()));
        assert!(waits(answer.as_mut()) && waits(answer.as_mut()));
    }
    world.fail(&[]);
    assert_eq!(world.ask(request()).0, StatusCode::OK);
    assert_eq!(world.ask(request()).0, StatusCode::UNAUTHORIZED);
}

/// A request waits for a slow store. If its token is revoked during the wait, the request is refused.
#[test]
fn a_slow_store_is_waited_for() {
    let root = root();
    let world = World::new(&root);
    let guard = world.guard();
    for asked in [Asked::Verify, Asked::Revoked] {
        let token = mint(&root, 0);
        world.fail(&[(asked, Fails::Waits)]);
        let mut answer = pin!(guard.authorize(seal(&token, "GET", "/jobs/7", b"", 0)));
        assert!(waits(answer.as_mut()));
        world.memory.revoke(token.revocation_ids()[0]);
        world.fail(&[]);
        let refused = pollster::block_on(answer).unwrap_err().to_string();
        assert!(refused.ends_with("the block is revoked"), "{refused}");
    }
    assert_eq!(world.spent.load(Ordering::SeqCst), 0);
}

/// If two copies of a request arrive at once, only one passes, even if both are verified before either of
/// them spends the nonce.
#[test]
fn of_two_copies_at_once_one_passes() {
    let root = root();
    let world = World::new(&root);
    let guard = world.guard();
    let token = mint(&root, 0);
    let copy = || Box::pin(guard.authorize(seal(&token, "GET", "/jobs/7", b"", 0)));
    world.fail(&[(Asked::Spend, Fails::Waits)]);
    let mut copies = [copy(), copy()];
    assert!(copies.iter_mut().all(|copy| waits(copy.as_mut())));
    world.fail(&[]);
    let [first, second] = copies.map(pollster::block_on);
    assert!(first.is_ok());
    assert_eq!(second.unwrap_err(), Refusal::Replayed);
}

#[test]
fn root_keys_change_while_the_service_runs() {
    let (old, new) = (root(), root());
    let world = World::new(&old);
    let status = |token: &Token, random| {
        let request = seal(token, "GET", "/jobs/7", b"", random);
        world.ask(request).0
    };
    let (of_old, of_new) = (mint(&old, 0), mint(&new, 1));
    assert_eq!(status(&of_old, 0), StatusCode::OK);
    assert_eq!(status(&of_new, 1), StatusCode::UNAUTHORIZED);

    let keys = [(0, *old.public_key()), (1, *new.public_key())];
    world.memory.set_roots(keys.into_iter().collect());
    assert_eq!(status(&of_old, 2), StatusCode::OK);
    assert_eq!(status(&of_new, 3), StatusCode::OK);
    // A token that was made with one key, but under the number of the other key, is refused.
    assert_eq!(status(&mint(&old, 1), 4), StatusCode::UNAUTHORIZED);

    world.memory.set_roots(keys.into_iter().skip(1).collect());
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
    // A caveat on a field that the service does not state refuses the request.
    assert_eq!(status("job in 7", b"done", 3), refused);
}

/// No runtime is needed: first the timer ends at once and no body arrives; then the timer never ends.
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

#[test]
fn a_request_has_three_headers_and_is_refused_without_them() {
    let root = root();
    let request = seal(&mint(&root, 0), "GET", "/jobs/7", b"", 0);
    let names: BTreeSet<_> = request.headers().keys().map(|name| name.as_str()).collect();
    let expected = ["authorization", "klero-random", "klero-time"];
    assert_eq!(names, expected.into());
    assert_eq!(request.headers()["klero-random"], "A".repeat(22));
    let (status, headers, says) = World::new(&root).ask(Request::new(whole(b"")));
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_eq!(headers["klero-epoch"], "AQEBAQEBAQEBAQEBAQEBAQ");
    assert_eq!(
        says,
        r#"{"error":"no token: expected the header Authorization: Klero TOKEN"}"#
    );
    assert_eq!((read_random("AAAA"), SCHEME), (None, "Klero"));
}

#[test]
fn a_service_sets_limits() {
    let root = root();
    let world = World::new(&root);
    let guard = || world.guard().body_limit(4);
    let ask = |guard, body| ask(guard, seal(&mint(&root, 0), "PUT", "/jobs/7", body, 0));
    assert_eq!(ask(guard(), b"done").0, StatusCode::OK);
    assert_eq!(ask(guard(), b"done.").0, StatusCode::PAYLOAD_TOO_LARGE);
    let refused = pollster::block_on(guard().read_body(whole(b"done."))).unwrap_err();
    assert_eq!(refused.to_string(), "the body has more than 4 bytes");
    let limits = Limits {
        bytes: 16,
        ..Limits::default()
    };
    let (status, _, _) = ask(guard().limits(limits), b"done");
    assert_eq!(status, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    // For too many caveats, the status is not the one for headers that are too large.
    let limits = Limits {
        caveats: 1,
        ..Limits::default()
    };
    let caveats = ["method PUT", "path /jobs"].map(|text| text.parse().unwrap());
    let narrowed = mint(&root, 0).narrow(&caveats).unwrap();
    let request = seal(&narrowed, "PUT", "/jobs/7", b"done", 0);
    let (status, _, _) = self::ask(guard().limits(limits), request);
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

/// A body that yields no data and does not end.
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
