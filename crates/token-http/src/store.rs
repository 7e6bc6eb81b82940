//! The keys, revocations and spent nonces of a service.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use klero_token::{Challenge, RevocationId, RootKeys, Token, Verified};

use crate::nonces::{RecentNonces, Spend};
use crate::refusal::Refusal;

/// The keys, revocations and spent nonces of a service. [`MemoryStore`] is one for tests and for a
/// single process.
///
/// A store that cannot answer says [`Refusal::Unavailable`]: the request gets 503, because the token may be
/// revoked, or the request may be a copy. The store tells the operator why; the client does not learn it.
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
    /// To change the root key without refusing anyone, give the old and the new key, each under its own
    /// number. Then mint with the new key, and give it alone when the last token of the old key has expired.
    /// If a key has leaked, stop giving it immediately.
    fn roots(&self) -> Arc<RootKeys>;

    /// The ids among these whose blocks are revoked. Every block of a token has an id; revoking the id
    /// refuses every token that contains the block.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
    fn revoked(
        &self,
        ids: Vec<RevocationId>,
    ) -> impl Future<Output = Result<Vec<RevocationId>, Refusal>> + Send;

    /// Accepts the nonce of a request, once. A store keeps three promises: test and insertion are one atomic
    /// step; a time more than [`WINDOW`](crate::WINDOW) from the latest `now` so far is refused in the same
    /// step; and no nonce is forgotten while its time would be accepted, even if the clock is set back.
    /// [`RecentNonces`] keeps these promises for one process. Several processes behind one name must share a
    /// store.
    ///
    /// # Errors
    /// [`Refusal::OutOfTime`], [`Refusal::Replayed`], [`Refusal::Full`], [`Refusal::Unavailable`].
    fn spend(&self, spend: Spend<'_>) -> impl Future<Output = Result<(), Refusal>> + Send;

    /// Verifies the signatures of a token, which must be sealed to this challenge. The default verifies each
    /// token alone, within its request. Verifying tokens of many requests together takes less time for each:
    /// Klero's `examples/service` does so.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] with the reason, [`Refusal::Unavailable`] if there is no verdict.
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

/// A store in memory, for tests and for a single process. It forgets revocations when the process ends: root
/// keys that outlive the process need another store. The [page of the crate](crate) has an example.
#[derive(Debug)]
pub struct MemoryStore {
    roots: RwLock<Arc<RootKeys>>,
    revoked: RwLock<BTreeSet<RevocationId>>,
    nonces: RecentNonces,
}

impl MemoryStore {
    /// A store with these root keys, and with room for this many nonces: see [`RecentNonces::new`].
    #[must_use]
    pub fn new(roots: RootKeys, nonces: usize) -> Self {
        Self {
            roots: RwLock::new(Arc::new(roots)),
            revoked: RwLock::default(),
            nonces: RecentNonces::new(nonces),
        }
    }

    /// Replaces all root keys. Requests that are being verified still see the previous ones.
    pub fn set_roots(&self, roots: RootKeys) {
        *self.roots.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(roots);
    }

    /// Revokes the tokens that contain this block.
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
        // A thread that panicked may have left some revocations out.
        let revoked = self.revoked.read().map_err(|_| Refusal::Unavailable)?;
        ids.retain(|id| revoked.contains(id));
        Ok(ids)
    }

    async fn spend(&self, spend: Spend<'_>) -> Result<(), Refusal> {
        self.nonces.spend(spend)
    }
}
