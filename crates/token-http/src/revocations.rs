//! What is revoked.

use std::collections::BTreeSet;
use std::sync::{Arc, RwLock};

use klero_token::RevocationId;

use crate::refusal::Unavailable;

/// The revoked blocks. Every block of a token has an id; to revoke one is to refuse every token that
/// contains the block. A set behind an [`RwLock`] is enough for a test: it forgets everything when the
/// process ends.
///
/// ```
/// use klero_token::RevocationId;
/// use klero_token_http::{Revocations, Unavailable};
/// # struct Database;
/// # impl Database { async fn select_revoked(&self, ids: &[RevocationId]) -> std::io::Result<Vec<RevocationId>> { Ok(vec![]) } }
///
/// struct InDatabase(Database);
///
/// impl Revocations for InDatabase {
///     async fn among(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Unavailable> {
///         self.0.select_revoked(&ids).await.map_err(|error| {
///             eprintln!("revocations: {error}");
///             Unavailable
///         })
///     }
/// }
/// ```
pub trait Revocations: Send + Sync + 'static {
    /// Those of these blocks that are revoked.
    ///
    /// # Errors
    /// [`Unavailable`] if it cannot tell. The request gets 503, because the token may be revoked.
    fn among(
        &self,
        ids: Vec<RevocationId>,
    ) -> impl Future<Output = Result<Vec<RevocationId>, Unavailable>> + Send;
}

impl Revocations for RwLock<BTreeSet<RevocationId>> {
    async fn among(&self, mut ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Unavailable> {
        // A thread that panicked may have left some out.
        let revoked = self.read().map_err(|_| Unavailable)?;
        ids.retain(|id| revoked.contains(id));
        Ok(ids)
    }
}

impl<T: Revocations> Revocations for Arc<T> {
    async fn among(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Unavailable> {
        T::among(self, ids).await
    }
}
