//! The checks that every request must pass before a service acts on it.
//!
//! The order of the checks matters. Sizes are checked before the token is parsed, and cheap checks come
//! before signatures. The nonce is checked last: a request that an earlier check refuses uses up no nonce.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use base64ct::{Base64UrlUnpadded, Encoding};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use klero_token::{Access, Error, Limits, RevocationId, Revoked, Token, Verified, normal_path};

use crate::nonces::Spend;
use crate::now;
use crate::refusal::Refusal;
use crate::seal::{EPOCH, Sealed, presented};
use crate::store::Store;

/// The default limits of a token, which [`Guard::limits`] changes. A token with two or three narrowings
/// usually has less than 1000 bytes.
const LIMITS: Limits = Limits {
    signatures: 16,
    caveats: 64,
    bytes: 4096,
};

/// The default limit of a body in bytes, which [`Guard::body_limit`] changes.
const BODY: usize = 64 * 1024;

/// The error of reading a body.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

type FieldsOf = dyn Fn(&Request<Bytes>) -> Vec<(&'static str, String)> + Send + Sync;

/// The result of the checks for a request that passed all of them. Handlers find it in the request's
/// extensions.
#[derive(Clone, Debug)]
pub struct Authorized {
    /// The rights in the first block, signed by the issuer. If they contain the name of a user, the service
    /// must check that this user still exists.
    pub rights: Bytes,
    /// The token, for logs. A log should contain the token's revocation ids and the number of its root key.
    pub token: Arc<Verified>,
}

/// The checks of a service, in this order: sizes, headers, seal, revocation, caveats, nonce.
///
/// A body without an announced size is measured while it is read, after the headers. The checks work with any
/// HTTP server. [`TokenLayer`](crate::TokenLayer) puts them in front of a tower service.
///
/// ```
/// use klero_token::{Limits, RootKeys, Scheme, SecretKey};
/// use klero_token_http::{Guard, MemoryStore, Refusal};
/// use std::sync::Arc;
///
/// let root = SecretKey::generate(Scheme::Chain)?;
/// let store = MemoryStore::new(RootKeys::from(*root.public_key()), 1_000_000);
/// let guard = Guard::new("jobs.example", Arc::new(store))?
///     .limits(Limits { signatures: 8, bytes: 2048, ..Limits::default() })
///     .body_limit(1024)
///     .fields(|request| vec![("bytes", request.body().len().to_string())]);
///
/// let request = http::Request::new(http_body_util::Empty::<bytes::Bytes>::new());
/// let refused = pollster::block_on(guard.authorize(request)).unwrap_err();
/// assert!(matches!(refused, Refusal::NoToken));
/// # Ok::<(), klero_token::Error>(())
/// ```
pub struct Guard<S> {
    authority: String,
    epoch: [u8; 16],
    store: Arc<S>,
    limits: Limits,
    body_limit: usize,
    /// Starts a timer. A body that has not arrived when the timer ends is refused. `None`: no time limit.
    patience: Option<Box<dyn Fn() -> Sleep + Send + Sync>>,
    fields: Option<Box<FieldsOf>>,
}

impl<S> Guard<S> {
    /// Makes a guard for the service with this name, such as `jobs.example`. The name comes from the
    /// service's own settings, never from a request. Because of the name, a token that is sealed for another
    /// service cannot be used here.
    ///
    /// # Errors
    /// [`Error::NoRandomness`] if no random epoch can be drawn.
    pub fn new(authority: impl Into<String>, store: Arc<S>) -> Result<Self, Error> {
        let mut epoch = [0; 16];
        getrandom::fill(&mut epoch).map_err(Error::NoRandomness)?;
        Ok(Self {
            authority: authority.into(),
            epoch,
            store,
            limits: LIMITS,
            body_limit: BODY,
            patience: None,
            fields: None,
        })
    }

    /// Sets the epoch ([`Sealed::epoch`]), which otherwise is random. If a store of nonces outlives the
    /// process, or several processes share it, keep the epoch there. All processes must send the same epoch.
    #[must_use]
    pub fn epoch(mut self, epoch: [u8; 16]) -> Self {
        self.epoch = epoch;
        self
    }

    /// Sets the limits of a token. The default is 4096 bytes, 16 signatures and 64 caveats.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the maximum size of a body. The default is 64 KiB. The seal covers the body, so the whole body is
    /// read before the token is verified, and is kept in memory.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Refuses a request whose body has not arrived when the future from `sleep` is ready. This future can be
    /// `tokio::time::sleep(Duration::from_secs(10))`, for example. Without this setting, a client can keep a
    /// connection open for as long as the server allows. This crate has no timer: each runtime has its own.
    #[must_use]
    pub fn patience<F>(mut self, sleep: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.patience = Some(Box::new(move || Box::pin(sleep())));
        self
    }

    /// Sets the function that returns the request's fields, for caveats of the application itself such as
    /// `job in 7 9` or `bytes at most 1000`. A caveat on a field that is not returned refuses the request.
    #[must_use]
    pub fn fields(
        mut self,
        fields: impl Fn(&Request<Bytes>) -> Vec<(&'static str, String)> + Send + Sync + 'static,
    ) -> Self {
        self.fields = Some(Box::new(fields));
        self
    }

    /// Adds the header that tells clients the epoch. The layer adds it to its answers. A route without the
    /// layer, such as a login, can call this, so that clients know the epoch before the first sealed request.
    pub fn tell_epoch(&self, headers: &mut HeaderMap) {
        let epoch = Base64UrlUnpadded::encode_string(&self.epoch);
        // A base64url text is always a valid value of a header.
        if let Ok(epoch) = HeaderValue::try_from(epoch) {
            headers.insert(EPOCH, epoch);
        }
    }

    /// Reads a body within the guard's limits. A route without the layer, such as a login, can use this too.
    ///
    /// # Errors
    /// [`Refusal::BodyTooLarge`], [`Refusal::Timeout`], [`Refusal::Malformed`].
    pub async fn read_body<B>(&self, body: B) -> Result<Bytes, Refusal>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        self.admit(&body)?;
        let mut all = pin!(Limited::new(body, self.body_limit).collect());
        let mut late = self.patience.as_ref().map(|start| start());
        let read = poll_fn(|context| {
            if let Poll::Ready(read) = all.as_mut().poll(context) {
                return Poll::Ready(Some(read));
            }
            match &mut late {
                Some(late) => late.as_mut().poll(context).map(|()| None),
                None => Poll::Pending,
            }
        });
        match read.await {
            Some(Ok(read)) => Ok(read.to_bytes()),
            Some(Err(error)) if error.is::<LengthLimitError>() => {
                Err(Refusal::BodyTooLarge(self.body_limit))
            }
            Some(Err(_)) => Err(Refusal::Malformed("the body cannot be read")),
            None => Err(Refusal::Timeout),
        }
    }

    /// Refuses a body whose announced size is too large, before any of it is read.
    fn admit(&self, body: &impl Body) -> Result<(), Refusal> {
        match body.size_hint().lower() > self.body_limit as u64 {
            true => Err(Refusal::BodyTooLarge(self.body_limit)),
            false => Ok(()),
        }
    }
}

impl<S: Store> Guard<S> {
    /// Checks a request. Returns the request with its whole body, and with [`Authorized`] in its extensions.
    ///
    /// # Errors
    /// The first reason to refuse the request.
    pub async fn authorize<B>(&self, request: Request<B>) -> Result<Request<Full<Bytes>>, Refusal>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        self.admit(request.body())?;
        let presented = presented(request.headers(), &self.limits)?;
        // The router, the handler and the caveats must read a path in the same way.
        let path = request.uri().path();
        if normal_path(path).as_deref() != Ok(path) {
            return Err(Refusal::Malformed("the path is not in normal form"));
        }
        let (head, body) = request.into_parts();
        let body = self.read_body(body).await?;
        let mut request = Request::from_parts(head, body);

        let authorized = self.check(&request, presented).await?;
        request.extensions_mut().insert(authorized);
        Ok(request.map(Full::new))
    }

    async fn check(
        &self,
        request: &Request<Bytes>,
        (token, random, time): (Token, [u8; 16], u64),
    ) -> Result<Authorized, Refusal> {
        let (method, uri) = (request.method().as_str(), request.uri());
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
        let challenge = sealed.challenge(&nonce);
        let token = self.store.verify(token, challenge).await?;
        let revoked = self.store.revoked(token.revocation_ids()).await?;
        let now = now();
        let rights = self.rights(request, &token, &revoked, now)?;
        let spend = Spend {
            nonce,
            time,
            now,
            rights: &rights,
        };
        self.store.spend(spend).await?;
        Ok(Authorized {
            rights,
            token: Arc::new(token),
        })
    }

    /// Returns the rights of the token, if no block is revoked and all caveats hold for the request.
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

impl<S> fmt::Debug for Guard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("authority", &self.authority)
            .field("limits", &self.limits)
            .field("body_limit", &self.body_limit)
            .finish_non_exhaustive()
    }
}
