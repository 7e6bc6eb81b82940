//! The checks that every request passes before anything is done for it.
//!
//! The order matters: sizes before parsing, what is cheap before signatures, and the nonce last, so
//! that a request that is refused for another reason spends none.

use std::fmt;
use std::sync::Arc;

use base64ct::{Base64UrlUnpadded, Encoding};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request};
use http_body::Body;
use http_body_util::Full;
use klero_token::{Access, Error, Limits, RevocationId, Revoked, Verified, normal_path};

use crate::body::{Bodies, BoxError};
use crate::headers::Presented;
use crate::nonces::{Nonces, Spend};
use crate::now;
use crate::refusal::Refusal;
use crate::revocations::Revocations;
use crate::seal::{EPOCH, Sealed};
use crate::verifier::Verifier;

/// The largest token, unless [`Guard::limits`] says otherwise. With two or three narrowings one has less
/// than 1000 bytes.
const LIMITS: Limits = Limits {
    signatures: 16,
    caveats: 64,
    bytes: 4096,
};

/// The largest body in bytes, unless [`Guard::body_limit`] says otherwise.
const BODY: usize = 64 * 1024;

/// A statement of a request, for the caveats of the application, such as `job in 7 9`: a name and its value.
pub type Field = (&'static str, String);

type FieldsOf = dyn Fn(&Request<Bytes>) -> Vec<Field> + Send + Sync;

/// The result of all checks for a request that passed them. Handlers find it in its extensions.
#[derive(Clone, Debug)]
pub struct Authorized {
    /// What the issuer signed in the first block. Whether a user of that name still exists is up to
    /// the service.
    pub rights: Bytes,
    /// The token, for what a log should say: its revocation ids, the number of its root key.
    pub token: Arc<Verified>,
}

/// The checks of a service, in this order: sizes, headers, seal, revocation, caveats, nonce.
///
/// It is not tied to a server. [`TokenLayer`](crate::TokenLayer) puts it in front of a tower service.
///
/// ```
/// use klero_token::{Limits, RootKeys, Scheme, SecretKey};
/// use klero_token_http::{Guard, RecentNonces, Refusal, Roots};
/// use std::collections::BTreeSet;
/// use std::sync::RwLock;
///
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let roots = Roots::from(RootKeys::from(*root.public_key()));
/// let revoked = RwLock::new(BTreeSet::new());
/// let guard = Guard::new("jobs.example", roots, revoked, RecentNonces::new(1_000_000))?
///     .limits(Limits { signatures: 8, bytes: 2048, ..Limits::default() })
///     .body_limit(1024)
///     .fields(|request| vec![("bytes", request.body().len().to_string())]);
///
/// let request = http::Request::new(http_body_util::Empty::<bytes::Bytes>::new());
/// let refused = pollster::block_on(guard.authorize(request)).unwrap_err();
/// assert!(matches!(refused, Refusal::NoToken));
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct Guard<V, R, N> {
    authority: String,
    epoch: [u8; 16],
    verifier: V,
    revocations: R,
    nonces: N,
    limits: Limits,
    bodies: Bodies,
    fields: Option<Box<FieldsOf>>,
}

impl<V, R, N> Guard<V, R, N> {
    /// The checks of the service of this name, such as `jobs.example`. The name is that of its own
    /// settings, never that of a request: it stops another service from using a token here.
    ///
    /// # Errors
    /// [`Error::NoRandomness`]: the epoch is drawn here.
    pub fn new(
        authority: impl Into<String>,
        verifier: V,
        revocations: R,
        nonces: N,
    ) -> Result<Self, Error> {
        let mut epoch = [0; 16];
        getrandom::fill(&mut epoch).map_err(Error::NoRandomness)?;
        Ok(Self {
            authority: authority.into(),
            epoch,
            verifier,
            revocations,
            nonces,
            limits: LIMITS,
            bodies: Bodies {
                limit: BODY,
                patience: None,
            },
            fields: None,
        })
    }

    /// Takes the epoch from a store of nonces that outlives the process, or that several processes
    /// share: all of them must tell clients the same.
    #[must_use]
    pub fn epoch(mut self, epoch: [u8; 16]) -> Self {
        self.epoch = epoch;
        self
    }

    /// Sets the largest token: 4096 bytes, 16 signatures and 64 caveats by default.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the largest body: 64 KiB by default. The seal covers the body, so all of it is read
    /// before the token is verified, and kept in memory.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.bodies.limit = bytes;
        self
    }

    /// Gives up a body that has not arrived when this future ends, such as
    /// `|| tokio::time::sleep(Duration::from_secs(10))`. Without it a client can keep a
    /// connection open for as long as the server allows. This crate has no clock that waits, since
    /// each runtime has its own.
    #[must_use]
    pub fn patience<F>(mut self, sleep: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.bodies.patience = Some(Box::new(move || Box::pin(sleep())));
        self
    }

    /// States fields of requests for caveats of the application, such as `job in 7 9` or
    /// `bytes at most 1000`. A caveat on a field that a request does not state refuses it.
    #[must_use]
    pub fn fields(
        mut self,
        fields: impl Fn(&Request<Bytes>) -> Vec<Field> + Send + Sync + 'static,
    ) -> Self {
        self.fields = Some(Box::new(fields));
        self
    }

    /// What is revoked.
    pub fn revocations(&self) -> &R {
        &self.revocations
    }

    /// Adds the header by which clients learn the epoch. The layer does so for its answers; a route
    /// without the layer, such as a login, may spare clients a refused request.
    pub fn tell_epoch(&self, headers: &mut HeaderMap) {
        let epoch = Base64UrlUnpadded::encode_string(&self.epoch);
        // Base64url is a value of a header.
        if let Ok(epoch) = HeaderValue::try_from(epoch) {
            headers.insert(EPOCH, epoch);
        }
    }

    /// Reads the body of a request that needs no token, such as a login, by the same limits.
    ///
    /// # Errors
    /// [`Refusal::BodyTooLarge`], [`Refusal::Timeout`], [`Refusal::Malformed`].
    pub async fn read_body<B>(&self, body: B) -> Result<Bytes, Refusal>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        self.bodies.admit(&body)?;
        self.bodies.read(body).await
    }
}

impl<V: Verifier, R: Revocations, N: Nonces> Guard<V, R, N> {
    /// Lets a request through, with its body and [`Authorized`] in its extensions.
    ///
    /// # Errors
    /// The first reason to refuse it.
    pub async fn authorize<B>(&self, request: Request<B>) -> Result<Request<Full<Bytes>>, Refusal>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        self.bodies.admit(request.body())?;
        let presented = Presented::read(request.headers(), &self.limits)?;
        // The router, the handler and the caveats must mean the same by a path.
        let path = request.uri().path();
        if normal_path(path).as_deref() != Ok(path) {
            return Err(Refusal::Malformed("the path is not in normal form"));
        }
        let (head, body) = request.into_parts();
        let body = self.bodies.read(body).await?;
        let request = Request::from_parts(head, body);

        let authorized = self.check(&request, presented).await?;
        let (mut head, body) = request.into_parts();
        head.extensions.insert(authorized);
        Ok(Request::from_parts(head, Full::new(body)))
    }

    async fn check(
        &self,
        request: &Request<Bytes>,
        presented: Presented,
    ) -> Result<Authorized, Refusal> {
        let (method, uri) = (request.method().as_str(), request.uri());
        let Presented {
            token,
            random,
            time,
        } = presented;
        let sealed = Sealed {
            epoch: &self.epoch,
            method,
            authority: &self.authority,
            target: uri.path_and_query().map_or("", |target| target.as_str()),
            body: request.body(),
            random: &random,
            time,
        };
        let nonce = sealed.nonce();
        let verdict = self.verifier.verify(token, sealed.challenge(&nonce));
        let token = verdict.await?.map_err(Refusal::Invalid)?;

        let revoked = self.revocations.among(token.revocation_ids()).await?;
        let now = now();
        let rights = self.rights(request, &token, &revoked, now)?;
        let spend = Spend {
            nonce,
            time,
            now,
            rights: &rights,
        };
        self.nonces.spend(spend).await?;
        Ok(Authorized {
            rights,
            token: Arc::new(token),
        })
    }

    /// The rights of the token, if all of its caveats hold for the request.
    fn rights(
        &self,
        request: &Request<Bytes>,
        token: &Verified,
        revoked: &[RevocationId],
        now: u64,
    ) -> Result<Bytes, Refusal> {
        let fields = self.fields.as_ref().map(|of| of(request));
        let fields = fields.unwrap_or_default();
        let fields: Vec<_> = fields.iter().map(|(name, is)| (*name, &**is)).collect();
        let access = Access {
            audience: Some(&self.authority),
            path: Some(request.uri().path()),
            method: Some(request.method().as_str()),
            fields: &fields,
            ..Access::at(now, Revoked::ids(revoked))
        };
        let rights = token.check(&access).map_err(Refusal::Caveat)?;
        Ok(Bytes::copy_from_slice(&rights))
    }
}

impl<V, R, N> fmt::Debug for Guard<V, R, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("authority", &self.authority)
            .field("limits", &self.limits)
            .field("bodies", &self.bodies)
            .finish_non_exhaustive()
    }
}
