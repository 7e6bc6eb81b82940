//! The keys, revocations and spent nonces of a service.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use klero_token::{Challenge, RevocationId, RootKeys, Token, Verified};

use crate::nonces::{RecentNonces, Spend};
use crate::refusal::Refusal;

/// A service's root keys, revocations and spent nonces. [`MemoryStore`] is a store for tests and for a single
/// process.
///
/// If a store cannot answer, it returns [`Refusal::Unavailable`]. The request is refused with the status 503,
/// because its token could be revoked or the request could be a copy. The client does not learn why the store
/// cannot answer, so the store should report this to the operator.
///
/// ```
/// use std::sync::Arc;
///
/// use klero_token::{RevocationId, RootKeys};
/// use klero_token_http::{RecentNonces, Refusal, Spend, Store};
/// # struct Database;
/// # impl Database { async fn select_revoked(&self, ids: &[RevocationId]) -> std::io::Result<Vec<RevocationId>> { Ok(vec![]) } }
///
/// struct Shop {
///     roots: Arc<RootKeys>,
///     database: Database,
///     nonces: RecentNonces,
/// }
///
/// impl Store for Shop {
///     fn roots(&self) -> Arc<RootKeys> {
///         self.roots.clone()
///     }
///
///     async fn revoked(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Refusal> {
///         self.database.select_revoked(&ids).await.map_err(|error| {
///             eprintln!("revocations: {error}");
///             Refusal::Unavailable
///         })
///     }
///
///     async fn spend(&self, spend: Spend<'_>) -> Result<(), Refusal> {
///         self.nonces.spend(spend)
///     }
/// }
/// ```
pub trait Store: Send + Sync + 'static {
    /// The current root keys.
    ///
    /// To change the root key without refusing anyone, return the old and the new key, each under its own
    /// number. Then mint tokens with the new key. When the last token of the old key has expired, return only
    /// the new key. If a key has leaked, stop returning it immediately.
    fn roots(&self) -> Arc<RootKeys>;

    /// Returns the elements of `ids` that are revoked. Every block of a token has an id. If the id of a block
    /// is revoked, every token that contains the block is refused.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
    fn revoked(
        &self,
        ids: Vec<RevocationId>,
    ) -> impl Future<Output = Result<Vec<RevocationId>, Refusal>> + Send;

    /// Accepts a nonce the first time, and refuses it later. A store must keep three promises. It tests and
    /// inserts a nonce in one atomic step. In the same step, it refuses a time that is more than
    /// [`WINDOW`](crate::WINDOW) seconds from the latest [`Spend::now`] so far. It forgets no nonce whose
    /// time would still be accepted, even if the clock is set back. [`RecentNonces`] keeps these promises for
    /// one process. Several processes behind one name must share a store.
    ///
    /// # Errors
    /// [`Refusal::OutOfTime`], [`Refusal::Replayed`], [`Refusal::Full`], [`Refusal::Unavailable`].
    fn spend(&self, spend: Spend<'_>) -> impl Future<Output = Result<(), Refusal>> + Send;

    /// Verifies the signatures of a token, which must be sealed to this challenge. By default, each call
    /// verifies one token. A store can instead collect the tokens of many requests and verify them together,
    /// as Klero's `examples/service` does. This takes less time per token.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the reason if the token is invalid; [`Refusal::Unavailable`] if there is no
    /// verdict.
    fn verify(
        &self,
        token: Token,
        challenge: Challenge<'_>,
    ) -> impl Future<Output = Result<Verified, Refusal>> + Send {
        async move {
            let verdict = token.verify(&self.roots(), Some(&challenge));
            verdict.map_err(Refusal::Invalid)
        }
    }
}

/// A store in memory, for tests and for a single process. It forgets revocations when the process ends. If
/// the root keys are used after that, use another store. The [page of the crate](crate) has an example.
#[derive(Debug)]
pub struct MemoryStore {
    roots: RwLock<Arc<RootKeys>>,
    revoked: RwLock<BTreeSet<RevocationId>>,
    nonces: RecentNonces,
}

impl MemoryStore {
    /// Makes a store with these root keys, and with room for this many nonces. See [`RecentNonces::new`].
    #[must_use]
    pub fn new(roots: RootKeys, nonces: usize) -> Self {
        Self {
            roots: RwLock::new(Arc::new(roots)),
            revoked: RwLock::default(),
            nonces: RecentNonces::new(nonces),
        }
    }

    /// Replaces all root keys. Requests that are being verified still see the previous keys.
    pub fn set_roots(&self, roots: RootKeys) {
        *self.roots.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(roots);
    }

    /// Revokes the tokens that contain the block with this id.
    pub fn revoke(&self, id: RevocationId) {
        let mut revoked = self.revoked.write().unwrap_or_else(PoisonError::into_inner);
        revoked.insert(id);
    }
}

impl Store for MemoryStore {
    fn roots(&self) -> Arc<RootKeys> {
        let roots = self.roots.read().unwrap_or_else(PoisonError::into_inner);
        roots.clone()
    }

    async fn revoked(&self, mut ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Refusal> {
        // If a thread panicked while it revoked tokens, some revocations may be missing.
        let revoked = self.revoked.read().map_err(|_| Refusal::Unavailable)?;
        ids.retain(|id| revoked.contains(id));
        Ok(ids)
    }

    async fn spend(&self, spend: Spend<'_>) -> Result<(), Refusal> {
        self.nonces.spend(spend)
    }
}
