//! Revoked blocks, kept in a database.
//!
//! Every block of a token has an id. To revoke one is to refuse every token that contains the
//! block: the token that ended with it, and all that holders made of it by narrowing.

use std::path::Path;

use klero_token::RevocationId;
use redb::{Database, Error, ReadableDatabase, TableDefinition};

/// From the id to the time at which it was revoked. A row can be deleted once the token's last
/// `before` has passed.
const REVOKED: TableDefinition<[u8; 32], u64> = TableDefinition::new("revoked");

/// The ids of revoked blocks.
pub struct Revocations {
    database: Database,
}

impl Revocations {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// Those of the database. One is that another process has the file open.
    pub fn open(file: &Path) -> Result<Self, Error> {
        let database = Database::create(file)?;
        let write = database.begin_write()?;
        write.open_table(REVOKED)?;
        write.commit()?;
        Ok(Self { database })
    }

    /// Revokes the tokens that contain this block. When it returns, the file on the disk says so.
    ///
    /// # Errors
    /// Those of the database.
    pub fn revoke(&self, id: &RevocationId, now: u64) -> Result<(), Error> {
        let write = self.database.begin_write()?;
        write.open_table(REVOKED)?.insert(id.0, now)?;
        write.commit()?;
        Ok(())
    }

    /// Those of these blocks that are revoked.
    ///
    /// # Errors
    /// Those of the database. A service that cannot read it must refuse.
    pub fn among(&self, ids: Vec<RevocationId>) -> Result<Vec<RevocationId>, Error> {
        let table = self.database.begin_read()?.open_table(REVOKED)?;
        let mut revoked = Vec::new();
        for id in ids {
            if table.get(id.0)?.is_some() {
                revoked.push(id);
            }
        }
        Ok(revoked)
    }
}
