//! The root keys, each with a number, and how they change.
//!
//! The newest mints; tokens of the older ones count until those are removed. The service keeps public
//! keys only, in its database. The secret key of root N is in the file `root-N.pem` of the signer, and once
//! root N + 1 is there, nothing needs it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use klero_token::{Caveat, PublicKey, Scheme, Token};
use klero_token_http::Store as _;
use thiserror::Error;
use tokio::sync::RwLock;
use tokio::task::spawn_blocking;

use crate::signer::{Signer, SignerError};
use crate::store::Store;

/// The root keys of a service.
pub struct Keyring {
    program: PathBuf,
    directory: PathBuf,
    store: Arc<Store>,
    /// Who signs with the newest, and its number. Locked while roots change.
    newest: RwLock<Arc<Newest>>,
}

struct Newest {
    id: u32,
    signer: Signer,
}

/// Why root keys do not change.
#[derive(Debug, Error)]
pub enum KeyringError {
    /// The signer does not start.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The database does not answer.
    #[error(transparent)]
    Store(#[from] redb::Error),
    /// Its thread has ended.
    #[error(transparent)]
    Thread(#[from] tokio::task::JoinError),
    /// The key is not valid.
    #[error("root {0} in the database: {1}")]
    Invalid(u32, klero_token::Error),
    /// The file has another key than the database.
    #[error("{}: not the key that the database has for this root", .0.display())]
    OtherKey(PathBuf),
    /// The newest root mints.
    #[error("root {0} is the newest: add another before it is removed")]
    Newest(u32),
    /// There is no such root.
    #[error("no root {0}")]
    Unknown(u32),
}

impl Keyring {
    /// The roots of the database, or root 0, whose key the signer makes.
    ///
    /// # Errors
    /// A [`KeyringError`].
    pub async fn open(
        program: &Path,
        directory: &Path,
        store: Arc<Store>,
    ) -> Result<Self, KeyringError> {
        let known = store.stored_roots()?;
        let id = known.last().map_or(0, |(id, _)| *id);
        let file = file(directory, id);
        let signer = Signer::start(program, &file).await?;
        match known.last() {
            None => store.add_root(id, signer.public_key().as_bytes())?,
            Some((_, key)) if *key == signer.public_key().as_bytes() => {}
            Some(_) => return Err(KeyringError::OtherKey(file)),
        }
        let keyring = Self {
            program: program.to_owned(),
            directory: directory.to_owned(),
            store,
            newest: RwLock::new(Arc::new(Newest { id, signer })),
        };
        keyring.publish()?;
        Ok(keyring)
    }

    /// A new token, signed with the newest root.
    ///
    /// # Errors
    /// A [`SignerError`].
    pub async fn mint(&self, rights: &[u8], caveats: &[Caveat]) -> Result<Token, SignerError> {
        let newest = self.newest.read().await.clone();
        newest.signer.mint(newest.id, rights, caveats).await
    }

    /// Adds a root with the next number, which mints from now on. Its key is in the database before it
    /// signs anything, so that a service that is killed in the middle knows every token.
    ///
    /// # Errors
    /// A [`KeyringError`]. The root before still mints.
    pub async fn rotate(&self) -> Result<u32, KeyringError> {
        let mut newest = self.newest.write().await;
        let id = newest.id + 1;
        let signer = Signer::start(&self.program, &file(&self.directory, id)).await?;
        let (store, key) = (self.store.clone(), *signer.public_key());
        spawn_blocking(move || store.add_root(id, key.as_bytes())).await??;
        self.publish()?;
        *newest = Arc::new(Newest { id, signer });
        Ok(id)
    }

    /// Removes a root, and so ends all of its tokens.
    ///
    /// # Errors
    /// [`KeyringError::Newest`], [`KeyringError::Unknown`], those of the database.
    pub async fn remove(&self, id: u32) -> Result<(), KeyringError> {
        let newest = self.newest.write().await;
        if id == newest.id {
            return Err(KeyringError::Newest(id));
        }
        if self.store.roots().get(Scheme::Chain, id).is_none() {
            return Err(KeyringError::Unknown(id));
        }
        let store = self.store.clone();
        spawn_blocking(move || store.remove_root(id)).await??;
        self.publish()
    }

    /// Verifies by what the database has.
    fn publish(&self) -> Result<(), KeyringError> {
        let known = self.store.stored_roots()?.into_iter();
        let keys = known.map(|(id, key)| {
            let key = PublicKey::from_bytes(Scheme::Chain, &key);
            Ok((id, key.map_err(|error| KeyringError::Invalid(id, error))?))
        });
        let keys = keys.collect::<Result<_, KeyringError>>()?;
        self.store.set_roots(keys);
        Ok(())
    }
}

fn file(directory: &Path, id: u32) -> PathBuf {
    directory.join(format!("root-{id}.pem"))
}
