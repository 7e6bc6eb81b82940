//! Databases to audit and to damage.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;

use klero_damage::{Database, Honest};
use klero_forge::{Recipe, forge};
use tempfile::TempDir;

/// A valid chain in a node's directory, with its files and blocks ([`Honest`]).
pub struct Chain {
    honest: Honest,
    /// The node's directory.
    pub dir: TempDir,
}

impl Deref for Chain {
    type Target = Honest;

    fn deref(&self) -> &Honest {
        &self.honest
    }
}

impl Chain {
    /// Forges a chain in a new directory, with the files that identify its network.
    pub fn forged(recipe: &Recipe) -> Self {
        let dir = TempDir::new().unwrap();
        let network = forge(recipe, dir.path(), |_, _| {}).unwrap().network;
        let honest = Honest::read(dir.path(), network).unwrap();
        Self { honest, dir }
    }

    /// A chain of every era, small enough for a debug build.
    pub fn small() -> Self {
        Self::forged(&Recipe::of_byron_to_conway())
    }

    /// Copies the files that identify the network, and the first `chunks` chunks. The copy may be damaged.
    pub fn copy(&self, chunks: u64) -> Db {
        let dir = TempDir::new().unwrap();
        for beside in fs::read_dir(self.dir.path()).unwrap() {
            let file = beside.unwrap().path();
            if file.is_file() {
                fs::copy(&file, dir.path().join(file.file_name().unwrap())).unwrap();
            }
        }
        let database = Database::create(dir.path().join("immutable")).unwrap();
        database.link(&self.database, 0..chunks).unwrap();
        Db { database, dir }
    }
}

/// A copy of a chain. A file of a chunk is a link to the original, until the copy's file is changed.
pub struct Db {
    database: Database,
    pub dir: TempDir,
}

impl Db {
    pub fn file(&self, chunk: u64, extension: &str) -> PathBuf {
        self.database.file(chunk, extension)
    }

    pub fn remove(&self, chunk: u64, extension: &str) {
        self.database.remove(chunk, extension).unwrap();
    }

    pub fn change(&self, chunk: u64, extension: &str, change: impl FnOnce(&mut Vec<u8>)) {
        self.database.change(chunk, extension, change).unwrap();
    }
}
