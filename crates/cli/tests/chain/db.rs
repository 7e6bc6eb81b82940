//! Databases to audit and to damage.

use std::fs;
use std::ops::Deref;
use std::path::PathBuf;

use klero_damage::{Database, Honest};
use klero_forge::{Recipe, forge};
use tempfile::TempDir;

/// A valid chain and its contents.
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
    /// A forged chain. Files beside its chunks tell the network.
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

    /// A copy to damage: the files beside the chunks, and the first `chunks` chunks.
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

/// A copy of a chain. The files of its chunks are links until they are changed.
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
