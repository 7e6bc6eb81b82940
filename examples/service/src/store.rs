//! The store that the layer asks. In a database, for good: revoked blocks, and the public keys of
//! roots. In memory: the nonces of the last minutes, and the root keys of now.
//!
//! Every block of a token has an id. To revoke one is to refuse every token that contains the
//! block: the token that ended with it, and all that holders made of it by narrowing.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use klero_token::{Challenge, RevocationId, RootKeys, Token, Verified};
use klero_token_http::{RecentNonces, Refusal, Spend};
use redb::{Database, DatabaseError, Error, ReadableDatabase, ReadableTable, TableDefinition};
use tokio::sync::watch;

use crate::accounts::LOGIN;
use crate::files;
use crate::verifier::Verifier;

/// From the id to the time at which it was revoked.
const REVOKED: TableDefinition<[u8; 32], u64> = TableDefinition::new("revoked");

/// From the number of a root to its public key.
const ROOTS: TableDefinition<u32, &[u8]> = TableDefinition::new("roots");

/// For how long the id of a block is kept, in seconds. Its tokens were minted before it was revoked, so
/// that after [`LOGIN`] their `before` refuses them. The day is for a clock that was wrong.
pub const KEPT: u64 = LOGIN + 24 * 60 * 60;

/// The database, and what is in memory only.
pub struct Store {
    database: Database,
    roots: watch::Sender<Arc<RootKeys>>,
    nonces: RecentNonces,
    verifier: Verifier,
}

impl Store {
    /// Opens the file, or makes it. There is room for this many nonces, and at most `places`
    /// requests wait to be verified. No token is valid before [`set_roots`](Self::set_roots).
    ///
    /// # Errors
    /// Those of the database. One is that another process has the file open.
    pub fn open(file: &Path, nonces: usize, authority: &str, places: usize) -> Result<Self, Error> {
        if !fs::exists(file)? {
            // redb does not open a file again that it was killed while it made.
            files::make(file, |beside| make(beside.path()))?;
        }
        let (roots, published) = watch::channel(Arc::default());
        Ok(Self {
            database: open(file)?,
            roots,
            nonces: RecentNonces::new(nonces),
            verifier: Verifier::start(published, authority.to_owned(), places),
        })
    }

    /// Revokes the tokens that contain this block, and forgets those that have expired since they were
    /// revoked. When it returns, the file on the disk says so.
    ///
    /// # Errors
    /// Those of the database.
    pub fn revoke(&self, id: &RevocationId, now: u64) -> Result<(), Error> {
        let write = self.database.begin_write()?;
        {
            let mut table = write.open_table(REVOKED)?;
            table.retain(|_, at| at.saturating_add(KEPT) > now)?;
            table.insert(id.0, now)?;
        }
        write.commit()?;
        Ok(())
    }

    fn revoked_of(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Error> {
        let table = self.database.begin_read()?.open_table(REVOKED)?;
        let mut revoked = Vec::new();
        for id in ids {
            if table.get(id.0)?.is_some() {
                revoked.push(id);
            }
        }
        Ok(revoked)
    }

    /// The public keys of the roots in the database, by number: the newest last.
    ///
    /// # Errors
    /// Those of the database.
    pub fn stored_roots(&self) -> Result<Vec<(u32, Vec<u8>)>, Error> {
        let table = self.database.begin_read()?.open_table(ROOTS)?;
        let mut roots = Vec::new();
        for row in table.iter()? {
            let (id, key) = row?;
            roots.push((id.value(), key.value().to_vec()));
        }
        Ok(roots)
    }

    /// Adds a root. When it returns, the file on the disk has it.
    ///
    /// # Errors
    /// Those of the database.
    pub fn add_root(&self, id: u32, key: &[u8]) -> Result<(), Error> {
        let write = self.database.begin_write()?;
        write.open_table(ROOTS)?.insert(id, key)?;
        write.commit()?;
        Ok(())
    }

    /// Removes a root. When it returns, the file on the disk has it no more.
    ///
    /// # Errors
    /// Those of the database.
    pub fn remove_root(&self, id: u32) -> Result<(), Error> {
        let write = self.database.begin_write()?;
        write.open_table(ROOTS)?.remove(id)?;
        write.commit()?;
        Ok(())
    }

    /// Verifies by these keys from now on.
    pub fn set_roots(&self, keys: RootKeys) {
        self.roots.send_replace(Arc::new(keys));
    }
}

/// Opens the database, and waits a second if another process has it open: a service that was killed
/// while it started its signer leaves a copy of itself, which holds the lock until it is the signer.
fn open(file: &Path) -> Result<Database, DatabaseError> {
    let start = Instant::now();
    loop {
        match Database::open(file) {
            Err(DatabaseError::DatabaseAlreadyOpen) if start.elapsed() < Duration::from_secs(1) => {
                thread::sleep(Duration::from_millis(10));
            }
            opened => return opened,
        }
    }
}

fn make(file: &Path) -> Result<(), Error> {
    let database = Database::create(file)?;
    let write = database.begin_write()?;
    write.open_table(REVOKED)?;
    write.open_table(ROOTS)?;
    write.commit()?;
    Ok(())
}

impl klero_token_http::Store for Store {
    fn roots(&self) -> Arc<RootKeys> {
        self.roots.borrow().clone()
    }

    async fn revoked(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Refusal> {
        self.revoked_of(ids).map_err(|error| {
            eprintln!("{error}");
            Refusal::Unavailable
        })
    }

    async fn spend(&self, spend: Spend<'_>) -> Result<(), Refusal> {
        self.nonces.spend(spend)
    }

    async fn verify(&self, token: Token, challenge: Challenge<'_>) -> Result<Verified, Refusal> {
        self.verifier.verify(token, challenge).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revocations_are_forgotten_when_their_tokens_have_expired() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("service.redb"), 0, "", 1).unwrap();
        let [first, second, third] = [1, 2, 3].map(|byte| RevocationId([byte; 32]));
        let revoked = || store.revoked_of(vec![first, second, third]).unwrap();
        let now = 1_800_000_000;
        store.revoke(&first, now).unwrap();
        store.revoke(&second, now + KEPT - 1).unwrap();
        assert_eq!(revoked(), [first, second]);
        store.revoke(&third, now + KEPT).unwrap();
        assert_eq!(revoked(), [second, third]);
        // Set back, the clock makes none expire.
        store.revoke(&first, now).unwrap();
        assert_eq!(revoked(), [first, second, third]);
    }
}
