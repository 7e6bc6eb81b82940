//! The body of a request, which the seal covers: it is read before anything is known of the token's
//! worth, so it must be small and arrive soon.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use bytes::Bytes;
use http_body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::refusal::Refusal;

/// A body whose error can be told.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How bodies are read.
pub(crate) struct Bodies {
    /// The most bytes.
    pub(crate) limit: usize,
    /// Begins to wait, until a body that has not arrived is given up. Without it, none is.
    pub(crate) patience: Option<Box<dyn Fn() -> Sleep + Send + Sync>>,
}

impl Bodies {
    /// Refuses what is announced as too large: nothing of it is read.
    pub(crate) fn admit(&self, body: &impl Body) -> Result<(), Refusal> {
        match body.size_hint().lower() > self.limit as u64 {
            true => Err(Refusal::BodyTooLarge(self.limit)),
            false => Ok(()),
        }
    }

    /// All of a body, if it is small enough and arrives in time.
    pub(crate) async fn read<B>(&self, body: B) -> Result<Bytes, Refusal>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        let mut all = pin!(Limited::new(body, self.limit).collect());
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
                Err(Refusal::BodyTooLarge(self.limit))
            }
            Some(Err(_)) => Err(Refusal::Malformed("the body cannot be read")),
            None => Err(Refusal::Timeout),
        }
    }
}

impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bodies(at most {} bytes)", self.limit)
    }
}
