//! Root keys that change while a service runs.

use std::sync::{Arc, PoisonError, RwLock};

use klero_token::{Challenge, Error, RootKeys, Unverified, Verified};

use crate::refusal::Unavailable;
use crate::verifier::Verifier;

/// Root keys by number, which all who have a clone share. To change the root key without refusing
/// anyone, set the old and the new one, then mint with the new one, and set the new one alone when the
/// last token of the old one has expired. If a key has leaked, set the others at once.
///
/// ```
/// use klero_token::{RootKeys, Scheme, SecretKey};
/// use klero_token_http::Roots;
/// let [old, new] = [7, 8].map(|seed| SecretKey::from_seed(Scheme::Chain, &[seed; 32]));
/// let roots = Roots::from(RootKeys::from(*old.public_key()));
/// let elsewhere = roots.clone();
///
/// roots.set([(0, *old.public_key()), (1, *new.public_key())].into_iter().collect());
/// assert_eq!(elsewhere.get().get(Scheme::Chain, 0), Some(old.public_key()));
/// roots.set([(1, *new.public_key())].into_iter().collect());
/// assert_eq!(elsewhere.get().get(Scheme::Chain, 0), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Roots(Arc<RwLock<Arc<RootKeys>>>);

impl Roots {
    /// The keys of now.
    #[must_use]
    pub fn get(&self) -> Arc<RootKeys> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces all keys. Requests that are being verified still see those before.
    pub fn set(&self, keys: RootKeys) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}

impl From<RootKeys> for Roots {
    fn from(keys: RootKeys) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(keys))))
    }
}

impl Verifier for Roots {
    async fn verify(
        &self,
        token: Unverified,
        challenge: Challenge<'_>,
    ) -> Result<Result<Verified, Error>, Unavailable> {
        Ok(token.verify(&self.get(), Some(&challenge)))
    }
}
