//! A node's ImmutableDB: a directory of chunk files, read one at a time.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::chunk::{Chunk, Item};
use crate::fault::{Fault, FaultKind, Location};
use crate::network::{Network, read_magic};

/// No chunk file is longer: 21,600 slots of 90 KB, if every twentieth had a block, are 97 MB.
const LONGEST: u64 = 1 << 30;

/// An ImmutableDB on disk.
///
/// ```no_run
/// use klero_cardano::Immutable;
/// let db = Immutable::open("/var/lib/cardano/db".as_ref())?;
/// println!("{} chunks, {} bytes", db.chunks().len(), db.bytes());
/// # Ok::<(), klero_cardano::OpenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Immutable {
    dir: PathBuf,
    chunks: Vec<u64>,
    /// The length of each chunk file in bytes.
    lengths: Vec<u64>,
    magic: Option<u32>,
}

/// Why a directory is not an ImmutableDB.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It cannot be read.
    #[error("{}: {error}", dir.display())]
    Io {
        /// The directory.
        dir: PathBuf,
        /// What went wrong.
        error: io::Error,
    },
    /// There is no chunk file in it.
    #[error("{} has no chunk files (00000.chunk and so on)", dir.display())]
    Empty {
        /// The directory.
        dir: PathBuf,
    },
}

impl Immutable {
    /// Opens the directory with the chunk files, or the node's database directory that has it
    /// as `immutable`. Lists the chunks there are now; a node may be writing.
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
            // Through a link to the file it leads to.
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
        let magic = read_magic(&dir).ok().map(|(_, magic)| magic);
        Ok(Immutable {
            dir,
            chunks,
            lengths,
            magic,
        })
    }

    /// The directory with the chunk files.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The numbers of the chunks, rising. Never empty.
    pub fn chunks(&self) -> &[u64] {
        &self.chunks
    }

    /// Bytes of all chunk files together.
    pub fn bytes(&self) -> u64 {
        self.bytes_from(0)
    }

    /// Bytes of the chunk files from number `first` on.
    pub fn bytes_from(&self, first: u64) -> u64 {
        let from = self.chunks.partition_point(|number| *number < first);
        self.lengths
            .iter()
            .skip(from)
            .fold(0, |sum, length| sum.saturating_add(*length))
    }

    /// The network magic that the node wrote beside the chunks, if it did.
    pub fn magic(&self) -> Option<u32> {
        self.magic
    }

    /// What is in the chunks from number `first` on. One chunk is in memory at a time.
    pub(crate) fn items(&self, network: &Network, first: u64) -> Items {
        let chunks = self
            .chunks
            .iter()
            .copied()
            .filter(|number| *number >= first);
        Items {
            dir: self.dir.clone(),
            chunks: chunks.collect(),
            expected: first,
            size: network.chunk_size(),
            byron_epoch_length: network.byron_epoch_length(),
            files: Default::default(),
            queue: VecDeque::new(),
        }
    }
}

/// The number in a chunk file's name.
fn chunk_number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".chunk")?.parse().ok()?;
    (file_name(number, "chunk") == name).then_some(number)
}

fn file_name(number: u64, extension: &str) -> String {
    format!("{number:05}.{extension}")
}

/// The contents of chunk after chunk.
pub(crate) struct Items {
    dir: PathBuf,
    chunks: VecDeque<u64>,
    /// The number the next chunk should have.
    expected: u64,
    size: u64,
    byron_epoch_length: u64,
    files: Files,
    queue: VecDeque<Item>,
}

/// The memory for the three files of a chunk, used again and again.
#[derive(Default)]
struct Files {
    chunk: Vec<u8>,
    primary: Vec<u8>,
    secondary: Vec<u8>,
}

impl Iterator for Items {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        while self.queue.is_empty() {
            let number = self.chunks.pop_front()?;
            self.read(number);
        }
        self.queue.pop_front()
    }
}

impl Items {
    fn read(&mut self, number: u64) {
        if number > self.expected {
            let kind = FaultKind::MissingChunks {
                first: self.expected,
                last: number - 1,
            };
            self.lost(kind, self.expected);
        }
        self.expected = number.saturating_add(1);
        // The index first: a node that is writing appends to the chunk before the index, so
        // the chunk is never behind what was read of the index.
        let secondary = read(&self.dir, number, "secondary", &mut self.files.secondary);
        let primary = read(&self.dir, number, "primary", &mut self.files.primary);
        match read(&self.dir, number, "chunk", &mut self.files.chunk) {
            Ok(()) => {}
            Err(error) => {
                return self.lost(
                    FaultKind::Io {
                        reason: error.to_string(),
                    },
                    number,
                );
            }
        }
        let chunk = Chunk {
            number,
            bytes: &self.files.chunk,
            primary: index_file(primary, &self.files.primary),
            secondary: index_file(secondary, &self.files.secondary),
            size: self.size,
            byron_epoch_length: self.byron_epoch_length,
            newest: self.chunks.is_empty(),
        };
        self.queue.extend(chunk.read());
    }

    fn lost(&mut self, kind: FaultKind, chunk: u64) {
        let fault = Fault {
            kind,
            location: Location {
                chunk,
                ..Location::default()
            },
        };
        self.queue.push_back(Item::Lost {
            fault,
            since: chunk.saturating_mul(self.size),
        });
    }
}

fn index_file(read: io::Result<()>, bytes: &[u8]) -> Option<Result<&[u8], String>> {
    match read {
        Ok(()) => Some(Ok(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(format!("it cannot be read: {error}"))),
    }
}

/// Reads a file of a chunk into `buffer`.
fn read(dir: &Path, number: u64, extension: &str, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    let path = dir.join(file_name(number, extension));
    let about = fs::metadata(&path)?;
    // Checked before opening: opening a pipe would wait for a writer.
    if !about.is_file() {
        return Err(io::Error::other("not a file"));
    }
    if about.len() > LONGEST {
        return Err(io::Error::other(format!("longer than {LONGEST} bytes")));
    }
    File::open(path)?.take(LONGEST).read_to_end(buffer)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
