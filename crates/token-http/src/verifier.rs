//! Who verifies signatures.

use klero_token::{Challenge, Error, Unverified, Verified};

use crate::refusal::Unavailable;

/// Verifies the signatures of tokens. [`Roots`](crate::Roots) does it at once, where the request is.
/// Write another one to verify tokens of many requests together, which takes less time for each:
/// Klero's `examples/service` has one.
///
/// ```
/// use klero_token::{Challenge, Error, Unverified, Verified};
/// use klero_token_http::{Roots, Unavailable, Verifier};
///
/// struct Counting(Roots, std::sync::atomic::AtomicU64);
///
/// impl Verifier for Counting {
///     async fn verify(
///         &self,
///         token: Unverified,
///         challenge: Challenge<'_>,
///     ) -> Result<Result<Verified, Error>, Unavailable> {
///         self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
///         self.0.verify(token, challenge).await
///     }
/// }
/// ```
pub trait Verifier: Send + Sync + 'static {
    /// The verdict on a token, which must be sealed to this challenge.
    ///
    /// # Errors
    /// [`Unavailable`] if there is no verdict. The request gets 503.
    fn verify(
        &self,
        token: Unverified,
        challenge: Challenge<'_>,
    ) -> impl Future<Output = Result<Result<Verified, Error>, Unavailable>> + Send;
}
