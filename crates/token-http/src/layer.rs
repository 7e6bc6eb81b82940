//! The guard as a layer of tower.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use tower_layer::Layer;
use tower_service::Service;

use crate::body::BoxError;
use crate::guard::Guard;
use crate::nonces::Nonces;
use crate::revocations::Revocations;
use crate::verifier::Verifier;

/// Puts a [`Guard`] in front of services. Those behind it see only requests that passed, with
/// [`Authorized`](crate::Authorized) in their extensions; the others are answered here. Every answer
/// tells the epoch. The [page of the crate](crate) has an example.
#[derive(Debug)]
pub struct TokenLayer<V, R, N>(Arc<Guard<V, R, N>>);

impl<V, R, N> TokenLayer<V, R, N> {
    /// A layer with these checks.
    pub fn new(guard: Arc<Guard<V, R, N>>) -> Self {
        Self(guard)
    }
}

impl<V, R, N> Clone for TokenLayer<V, R, N> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S, V, R, N> Layer<S> for TokenLayer<V, R, N> {
    type Service = TokenService<S, V, R, N>;

    fn layer(&self, inner: S) -> Self::Service {
        TokenService {
            inner,
            guard: self.0.clone(),
        }
    }
}

/// A service behind a [`Guard`]: what [`TokenLayer`] makes.
#[derive(Debug)]
pub struct TokenService<S, V, R, N> {
    inner: S,
    guard: Arc<Guard<V, R, N>>,
}

impl<S: Clone, V, R, N> Clone for TokenService<S, V, R, N> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            guard: self.guard.clone(),
        }
    }
}

impl<S, V, R, N, B, A> Service<Request<B>> for TokenService<S, V, R, N>
where
    S: Service<Request<Full<Bytes>>, Response = Response<A>> + Clone + Send + 'static,
    S::Future: Send,
    V: Verifier,
    R: Revocations,
    N: Nonces,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
    A: From<Bytes>,
{
    type Response = Response<A>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The one that is ready goes with the request.
        let later = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, later);
        let guard = self.guard.clone();
        Box::pin(async move {
            let mut response = match guard.authorize(request).await {
                Ok(request) => inner.call(request).await?,
                Err(refusal) => refusal.into_response(),
            };
            guard.tell_epoch(response.headers_mut());
            Ok(response)
        })
    }
}
