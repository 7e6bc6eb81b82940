//! A node's ImmutableDB: a directory of chunk files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::chain::network::{NetworkError, read_magic};
use crate::disk::rules::Rules;
use crate::disk::unread::{Chunks, Content, Files, UnreadChunk, file_name};

/// An ImmutableDB on disk.
#[derive(Clone, Debug)]
pub struct Immutable {
    dir: PathBuf,
    chunks: Vec<u64>,
    /// The length of each chunk file in bytes.
    lengths: Vec<u64>,
    magic: Option<u32>,
}

/// The reason why a directory cannot be used as an ImmutableDB.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The directory cannot be read.
    #[error("{}: {error}", dir.display())]
    Io {
        /// The directory.
        dir: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The directory has no chunk files.
    #[error("{} has no chunk files (00000.chunk and so on)", dir.display())]
    Empty {
        /// The directory without chunk files.
        dir: PathBuf,
    },
    /// The file that identifies the network exists, but cannot be used.
    #[error(transparent)]
    Magic(NetworkError),
}

impl Immutable {
    /// Opens the chunk files in `dir`, or in `dir/immutable` if `dir` is the node's database directory. Lists
    /// only the chunks that exist now; a node may later write more.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(dir: &Path) -> Result<Immutable, OpenError> {
        let below = dir.join("immutable");
        let dir = if below.is_dir() {
            below
        } else {
            dir.to_owned()
        };
        let failed = |error| OpenError::Io {
            dir: dir.clone(),
            error,
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(&dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Some(number) = entry.file_name().to_str().and_then(chunk_number) else {
                continue;
            };
            // `fs::metadata` follows links.
            files.push((
                number,
                fs::metadata(entry.path()).map_or(0, |file| file.len()),
            ));
        }
        if files.is_empty() {
            return Err(OpenError::Empty { dir });
        }
        files.sort_unstable();
        let (chunks, lengths) = files.into_iter().unzip();
        let magic = read_magic(&dir).map_err(OpenError::Magic)?;
        Ok(Immutable {
            dir,
            chunks,
            lengths,
            magic: magic.map(|(_, magic)| magic),
        })
    }

    /// The directory with the chunk files.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The numbers of the chunks in ascending order. There is at least one chunk.
    pub fn chunks(&self) -> &[u64] {
        &self.chunks
    }

    /// The total length of all chunk files in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes_from(0)
    }

    /// The total length of the chunk files from number `first` on, in bytes.
    pub fn bytes_from(&self, first: u64) -> u64 {
        let from = self.chunks.partition_point(|number| *number < first);
        self.lengths
            .iter()
            .skip(from)
            .fold(0, |sum, length| sum.saturating_add(*length))
    }

    /// The network magic that the node wrote beside the chunks, if it wrote one.
    pub fn magic(&self) -> Option<u32> {
        self.magic
    }

    /// The chunks from number `first` on. None of them is read yet.
    pub(super) fn unread<'a>(&self, rules: Rules, first: u64) -> Chunks<'a> {
        let dir: Arc<Path> = self.dir.as_path().into();
        let newest = self.chunks.last().copied();
        let chunks = self.chunks.iter().copied();
        let mut chunks: Vec<(u64, u64)> = chunks.zip(self.lengths.iter().copied()).collect();
        chunks.retain(|(number, _)| *number >= first);
        let mut expected = first;
        Chunks(Box::new(chunks.into_iter().map(move |(number, listed)| {
            let missing = (expected < number).then_some(expected);
            expected = number.saturating_add(1);
            let files = Files {
                dir: dir.clone(),
                number,
                listed,
                missing,
                newest: Some(number) == newest,
            };
            UnreadChunk {
                rules,
                content: Content::Files(files),
            }
        })))
    }
}

/// The number in `name`, if `name` is the name of a chunk file.
fn chunk_number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".chunk")?.parse().ok()?;
    (file_name(number, "chunk") == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::chain::network::Network;
    use crate::disk::item::Item;
    use crate::disk::rules::Wanted;
    use crate::disk::unread::ReadChunk;

    /// A genesis file can define very large chunks. Still, an index file longer than 64 MiB is not read.
    #[test]
    fn sparse_index_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("00000.chunk"), []).unwrap();
        for name in ["00000.secondary", "00000.primary"] {
            let file = File::create(dir.path().join(name)).unwrap();
            file.set_len(10 << 30).unwrap();
        }
        let genesis =
            br#"{"activeSlotsCoeff": 0.3, "securityParam": 268435456, "epochLength": 250}"#;
        let starts = crate::chain::network::EraStarts::default();
        let network = Network::from_shelley_genesis("custom", genesis, starts).unwrap();
        let db = Immutable::open(dir.path()).unwrap();
        let chunks = db.unread(Rules::of(&network, Wanted::ALL), 0);
        let items: Vec<Item> = chunks.flat_map(|chunk| chunk.read().items).collect();
        assert_eq!(items.len(), 2);
        for item in items {
            let Item::OfIndex(warning) = item else {
                panic!("{item:?}")
            };
            let limit = "has 10737418240 bytes, expected at most 67108864";
            assert!(warning.to_string().ends_with(limit), "{warning}");
        }
    }

    /// Between listing and reading, a chunk can grow, become shorter or vanish.
    #[test]
    fn chunks_that_change() {
        let block = [0x82, 0x06, 0x85, 0x80, 0, 0, 0, 0];
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("00000.chunk");
        fs::write(&file, block).unwrap();
        let db = Immutable::open(dir.path()).unwrap();
        let read = || {
            let rules = Rules::of(&Network::preview(), Wanted::ALL);
            let chunks: Vec<ReadChunk> = db.unread(rules, 0).map(UnreadChunk::read).collect();
            let [chunk] = chunks.try_into().unwrap();
            let mut found = chunk.items;
            found.retain(|item| !matches!(item, Item::OfIndex(_)));
            assert_eq!(chunk.listed, 8);
            (found, chunk.length)
        };
        fs::write(&file, block.repeat(3)).unwrap();
        let (found, bytes) = read();
        assert!(matches!(
            &found[..],
            [Item::Block(_), Item::Block(_), Item::Block(_)]
        ));
        assert_eq!(bytes, 24);
        fs::write(&file, []).unwrap();
        let (found, bytes) = read();
        assert_eq!((found.len(), bytes), (0, 0));
        fs::remove_file(&file).unwrap();
        let (found, bytes) = read();
        assert!(matches!(&found[..], [Item::Lost(_)]), "{found:?}");
        assert_eq!(bytes, 8);
    }

    #[test]
    fn not_a_database() {
        let dir = tempfile::tempdir().unwrap();
        let error = Immutable::open(dir.path()).unwrap_err();
        assert!(matches!(error, OpenError::Empty { .. }), "{error}");
        let error = Immutable::open(&dir.path().join("nowhere")).unwrap_err();
        assert!(matches!(error, OpenError::Io { .. }), "{error}");
        fs::write(dir.path().join("00003.chunk"), [1, 2]).unwrap();
        let db = Immutable::open(dir.path()).unwrap();
        assert_eq!((db.chunks(), db.bytes(), db.magic()), (&[3][..], 2, None));
    }

    #[test]
    fn names() {
        for (name, number) in [
            ("00000.chunk", 0),
            ("00119.chunk", 119),
            ("123456.chunk", 123_456),
        ] {
            assert_eq!(chunk_number(name), Some(number));
        }
        for name in [
            "0.chunk",
            "000001.chunk",
            "+0001.chunk",
            "00001.primary",
            "abcde.chunk",
            ".chunk",
        ] {
            assert_eq!(chunk_number(name), None, "{name}");
        }
    }
}
