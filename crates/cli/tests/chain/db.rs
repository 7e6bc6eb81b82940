//! Databases to audit and to damage.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use klero_cardano::{Era, Network};
use klero_damage::{Database, Honest};
use klero_forge::{Recipe, forge};
use tempfile::TempDir;

/// A valid chain, and what is in it.
pub struct Chain {
    honest: Honest,
    /// The node's directory.
    pub dir: PathBuf,
    /// Options that name the network.
    pub options: String,
    _temporary: Option<TempDir>,
}

impl Deref for Chain {
    type Target = Honest;

    fn deref(&self) -> &Honest {
        &self.honest
    }
}

impl Chain {
    fn new(network: Network, dir: &Path, options: String, temporary: Option<TempDir>) -> Self {
        Self {
            honest: Honest::read(dir, network).unwrap(),
            dir: dir.to_owned(),
            options,
            _temporary: temporary,
        }
    }

    /// A forged chain.
    pub fn forged(recipe: &Recipe) -> Self {
        let temporary = TempDir::new().unwrap();
        let dir = temporary.path().to_owned();
        let network = forge(recipe, &dir, |_, _| {}).unwrap().network;
        let starts: Vec<String> = Era::ALL[1..]
            .iter()
            .filter_map(|era| Some(format!("{era}={}", network.era_starts().of(*era)?)))
            .collect();
        let options = format!(
            "--shelley-genesis {} --era-start {}",
            dir.join("shelley-genesis.json").display(),
            starts.join(",").to_lowercase()
        );
        Self::new(network, &dir, options, Some(temporary))
    }

    /// A chain of every era, small enough for a debug build.
    pub fn small() -> Self {
        Self::forged(&Recipe::of_byron_to_conway())
    }

    /// The first epochs of the preview network, if the files exist and the build is optimized.
    pub fn preview() -> Option<Self> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/chain/preview");
        if !dir.is_dir() {
            println!("SKIPPED: no chain in {}", dir.display());
            return None;
        }
        if cfg!(debug_assertions) {
            println!("SKIPPED: 38,944 proofs are for release builds");
            return None;
        }
        let options = "--network preview".to_owned();
        Some(Self::new(Network::preview(), &dir, options, None))
    }

    /// A copy to damage, with the first `chunks` chunks.
    pub fn copy(&self, chunks: u64) -> Db {
        let dir = TempDir::new().unwrap();
        if let Some(magic) = self.network.magic() {
            fs::write(dir.path().join("protocolMagicId"), magic.to_string()).unwrap();
        }
        let database = Database::create(dir.path().join("immutable")).unwrap();
        database.link(&self.database, 0..chunks).unwrap();
        Db { database, dir }
    }
}

/// A copy of a chain. Its files are links until they are changed.
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
