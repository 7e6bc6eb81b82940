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

use crate::guard::{BoxError, Guard};
use crate::store::Store;

/// Puts a [`Guard`] in front of services. A service sees only requests that passed the checks, with
/// [`Authorized`](crate::Authorized) in their extensions. The layer answers all other requests. Every answer
/// has the epoch in a header. The [page of the crate](crate) has an example.
#[derive(Debug)]
pub struct TokenLayer<S>(Arc<Guard<S>>);

impl<S> TokenLayer<S> {
    /// Makes a layer with the checks of this guard.
    pub fn new(guard: Arc<Guard<S>>) -> Self {
        Self(guard)
    }
}

impl<S> Clone for TokenLayer<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T, S> Layer<T> for TokenLayer<S> {
    type Service = TokenService<T, S>;

    fn layer(&self, inner: T) -> Self::Service {
        TokenService {
            inner,
            guard: self.0.clone(),
        }
    }
}

/// A service behind a [`Guard`], made by [`TokenLayer`].
#[derive(Debug)]
pub struct TokenService<T, S> {
    inner: T,
    guard: Arc<Guard<S>>,
}

impl<T: Clone, S> Clone for TokenService<T, S> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            guard: self.guard.clone(),
        }
    }
}

impl<T, S, B, A> Service<Request<B>> for TokenService<T, S>
where
    T: Service<Request<Full<Bytes>>, Response = Response<A>> + Clone + Send + 'static,
    T::Future: Send,
    S: Store,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
    A: From<Bytes>,
{
    type Response = Response<A>;
    type Error = T::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), T::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // Only `self.inner` is known to be ready, so it handles this request. Its clone handles later ones.
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
