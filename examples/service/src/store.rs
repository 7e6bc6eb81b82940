//! What the service remembers for good, in a database: revoked blocks, and the public keys of its roots.
//!
//! Every block of a token has an id. To revoke one is to refuse every token that contains the
//! block: the token that ended with it, and all that holders made of it by narrowing.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use klero_token::RevocationId;
use klero_token_http::{Revocations, Unavailable};
use redb::{Database, DatabaseError, Error, ReadableDatabase, ReadableTable, TableDefinition};

use crate::accounts::LOGIN;
use crate::files;

/// From the id to the time at which it was revoked.
const REVOKED: TableDefinition<[u8; 32], u64> = TableDefinition::new("revoked");

/// From the number of a root to its public key.
const ROOTS: TableDefinition<u32, &[u8]> = TableDefinition::new("roots");

/// For how long the id of a block is kept, in seconds. Its tokens were minted before it was revoked, so
/// that after [`LOGIN`] their `before` refuses them. The day is for a clock that was wrong.
pub const KEPT: u64 = LOGIN + 24 * 60 * 60;

/// The database.
pub struct Store {
    database: Database,
}

impl Store {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// Those of the database. One is that another process has the file open.
    pub fn open(file: &Path) -> Result<Self, Error> {
        if !fs::exists(file)? {
            // redb does not open a file again that it was killed while it made.
            files::make(file, |beside| make(beside.path()))?;
        }
        let database = open(file)?;
        Ok(Self { database })
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

    /// Those of these blocks that are revoked.
    ///
    /// # Errors
    /// Those of the database.
    pub fn revoked(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Error> {
        let table = self.database.begin_read()?.open_table(REVOKED)?;
        let mut revoked = Vec::new();
        for id in ids {
            if table.get(id.0)?.is_some() {
                revoked.push(id);
            }
        }
        Ok(revoked)
    }

    /// The public keys of the roots, by number: the newest last.
    ///
    /// # Errors
    /// Those of the database.
    pub fn roots(&self) -> Result<Vec<(u32, Vec<u8>)>, Error> {
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

impl Revocations for Store {
    async fn among(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Unavailable> {
        self.revoked(ids).map_err(|error| {
            eprintln!("{error}");
            Unavailable
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revocations_are_forgotten_when_their_tokens_have_expired() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("service.redb")).unwrap();
        let [first, second, third] = [1, 2, 3].map(|byte| RevocationId([byte; 32]));
        let revoked = || store.revoked(vec![first, second, third]).unwrap();
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
