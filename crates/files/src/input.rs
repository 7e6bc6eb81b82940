//! Reading: regular files only, and never more than a limit.

use std::fmt;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

/// Why a file was not read. Every message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is not a regular file.
    #[error("{}: is {kind}, expected a regular file", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        kind: Kind,
    },
    /// It is longer than the limit.
    #[error("{}: has {size} bytes, expected at most {limit}", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file or stream whose size is not known in advance has more bytes than the limit.
    #[error("{}: has more than {limit} bytes", path.display())]
    Endless {
        /// The file or stream.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// It is not text.
    #[error("{}: {reason}", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// The fault of its bytes.
        reason: String,
    },
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}

impl ReadError {
    /// Whether there is no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}

/// What a path names, if it is not a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// Anything else.
    Other,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "a directory",
            Self::Fifo => "a pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "neither a file nor a directory",
        })
    }
}

impl From<FileType> for Kind {
    fn from(file_type: FileType) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            if file_type.is_fifo() {
                return Self::Fifo;
            }
            if file_type.is_socket() {
                return Self::Socket;
            }
            if file_type.is_char_device() || file_type.is_block_device() {
                return Self::Device;
            }
        }
        if file_type.is_dir() {
            Self::Directory
        } else {
            Self::Other
        }
    }
}

/// Opens a regular file. Returns it and its size in bytes.
///
/// # Errors
/// [`ReadError::NotRegular`] for a directory, pipe, socket or device, at once;
/// [`ReadError::Io`] if it cannot be opened.
///
/// ```
/// use klero_files::{Kind, ReadError};
/// let error = klero_files::open(&std::env::temp_dir()).unwrap_err();
/// assert!(matches!(error, ReadError::NotRegular { kind: Kind::Directory, .. }));
/// ```
pub fn open(path: &Path) -> Result<(File, u64), ReadError> {
    let failed = |error| ReadError::Io {
        path: path.to_owned(),
        error,
    };
    let regular = |metadata: std::fs::Metadata| {
        if metadata.is_file() {
            return Ok(metadata.len());
        }
        Err(ReadError::NotRegular {
            path: path.to_owned(),
            kind: metadata.file_type().into(),
        })
    };
    // Checked before it is opened, because opening a pipe waits for a writer; and after, because
    // the path may name another file by then.
    regular(std::fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    let size = regular(file.metadata().map_err(failed)?)?;
    Ok((file, size))
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// [`ReadError`], also where there is not enough memory for the file.
///
/// ```
/// let path = std::env::temp_dir().join("klero-files-read");
/// std::fs::write(&path, "12345").unwrap();
/// assert_eq!(klero_files::read(&path, 5).unwrap(), b"12345");
/// let error = klero_files::read(&path, 4).unwrap_err().to_string();
/// assert!(error.ends_with("has 5 bytes, expected at most 4"));
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (file, size) = within(path, limit)?;
    let mut bytes = Vec::new();
    reserve(path, &mut bytes, size)?;
    fill(path, file, limit, &mut bytes)?;
    Ok(bytes)
}

/// Reads a text file of at most `limit` bytes: UTF-8, or UTF-16 with a byte order mark, which is what
/// `>` makes of it in Windows PowerShell. The mark is left out.
///
/// # Errors
/// As [`read`], and [`ReadError::NotText`].
///
/// ```
/// let path = std::env::temp_dir().join("klero-files-text");
/// std::fs::write(&path, b"\xff\xfe[\0]\0").unwrap();
/// assert_eq!(klero_files::read_text(&path, 10).unwrap(), "[]");
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    decode(read(path, limit)?).map_err(|reason| ReadError::NotText {
        path: path.to_owned(),
        reason,
    })
}

fn decode(bytes: Vec<u8>) -> Result<String, String> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => {
            let mut text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
            if text.starts_with('\u{feff}') {
                text.remove(0);
            }
            return Ok(text);
        }
    };
    let (units, rest) = bytes[2..].as_chunks();
    if !rest.is_empty() {
        return Err("its UTF-16 has an odd number of bytes".into());
    }
    char::decode_utf16(units.iter().map(|bytes| unit(*bytes)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}

/// [`read`] for secrets: the bytes are in one place in memory, which is wiped when they are
/// dropped. Reserves `limit` bytes, whatever the file's size.
///
/// # Errors
/// As [`read`].
///
/// ```
/// let path = std::env::temp_dir().join("klero-files-secret");
/// std::fs::write(&path, "secret").unwrap();
/// assert_eq!(*klero_files::read_secret(&path, 100).unwrap(), b"secret");
/// # std::fs::remove_file(&path).unwrap();
/// ```
pub fn read_secret(path: &Path, limit: u64) -> Result<Zeroizing<Vec<u8>>, ReadError> {
    let (file, _) = within(path, limit)?;
    read_secret_from(path, file, limit)
}

/// Reads a stream to its end, at most `limit` bytes. Errors call it `name`.
///
/// # Errors
/// [`ReadError::Endless`] if there is more; [`ReadError::Io`] if reading fails.
///
/// ```
/// let name = "standard input".as_ref();
/// assert_eq!(klero_files::read_from(name, &b"12345"[..], 5).unwrap(), b"12345");
/// assert!(klero_files::read_from(name, std::io::repeat(0), 5).is_err());
/// ```
pub fn read_from(name: &Path, stream: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    fill(name, stream, limit, &mut bytes)?;
    Ok(bytes)
}

/// [`read_from`] for secrets, as [`read_secret`].
///
/// # Errors
/// As [`read_from`].
///
/// ```
/// let name = "standard input".as_ref();
/// let secret = klero_files::read_secret_from(name, &b"secret"[..], 100).unwrap();
/// assert_eq!(*secret, b"secret");
/// ```
pub fn read_secret_from(
    name: &Path,
    stream: impl Read,
    limit: u64,
) -> Result<Zeroizing<Vec<u8>>, ReadError> {
    // `read_to_end` needs 32 spare bytes to find the end. With them the buffer never moves, and
    // leaves no copy behind.
    let mut bytes = Zeroizing::new(Vec::new());
    reserve(name, &mut bytes, limit.saturating_add(64))?;
    fill(name, stream, limit, &mut bytes)?;
    Ok(bytes)
}

/// Reserves memory for this many bytes. Too little memory is an error, where a vector that
/// grows would end the process.
fn reserve(name: &Path, bytes: &mut Vec<u8>, size: u64) -> Result<(), ReadError> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(size).map_err(|_| ReadError::Io {
        path: name.to_owned(),
        error: io::ErrorKind::OutOfMemory.into(),
    })
}

fn within(path: &Path, limit: u64) -> Result<(File, u64), ReadError> {
    let (file, size) = open(path)?;
    if size > limit {
        return Err(ReadError::TooLong {
            path: path.to_owned(),
            size,
            limit,
        });
    }
    Ok((file, size))
}

/// Reads to the end. The limit holds for the bytes that are read, because the size of a file
/// may be wrong (under /proc it is 0) or change.
fn fill(name: &Path, stream: impl Read, limit: u64, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
    stream
        .take(limit.saturating_add(1))
        .read_to_end(bytes)
        .map_err(|error| ReadError::Io {
            path: name.to_owned(),
            error,
        })?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::Endless {
            path: name.to_owned(),
            limit,
        });
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> String {
        let error = read(path, 64).unwrap_err().to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        assert_eq!(read_secret(path, 64).unwrap_err().to_string(), error);
        error
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        assert!(refusal(dir.path()).contains("is a directory"));
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(refusal(&pipe).contains("is a pipe"));
        assert!(refusal("/dev/zero".as_ref()).contains("is a device"));
    }

    #[test]
    fn a_sparse_terabyte_costs_no_memory() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sparse");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let expected = format!("has {} bytes, expected at most 64", 1u64 << 40);
        assert!(refusal(&path).contains(&expected));
    }

    #[test]
    fn a_file_is_read_into_memory_of_its_size() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, [7; 100_000]).unwrap();
        let bytes = read(&path, 1 << 20).unwrap();
        assert_eq!((bytes.len(), bytes.capacity()), (100_000, 100_000));
        let refused = reserve(&path, &mut Vec::new(), 1 << 63).unwrap_err();
        let expected = format!("{}: out of memory", path.display());
        assert_eq!(refused.to_string(), expected);
    }

    #[test]
    fn texts_with_and_without_a_byte_order_mark() {
        for (bytes, text) in [
            (&b""[..], Ok("")),
            ("é".as_bytes(), Ok("é")),
            ("\u{feff}é".as_bytes(), Ok("é")),
            (b"\xff\xfe\xe9\x00\x34\xd8\x1e\xdd", Ok("é𝄞")),
            (b"\xfe\xff\x00\xe9\xd8\x34\xdd\x1e", Ok("é𝄞")),
            (b"a\xe9b", Err("invalid utf-8 sequence")),
            (b"\xff\xfe\xe9", Err("an odd number of bytes")),
            (b"\xff\xfe\x34\xd8a\0", Err("unpaired surrogate")),
        ] {
            match (decode(bytes.to_vec()), text) {
                (Ok(decoded), Ok(text)) => assert_eq!(decoded, text),
                (Err(reason), Err(says)) => assert!(reason.contains(says), "{reason}"),
                (decoded, _) => panic!("{bytes:?}: {decoded:?}"),
            }
        }
    }

    #[test]
    fn no_limit_is_too_large() {
        for limit in [1 << 62, u64::MAX] {
            let read = read_secret_from("x".as_ref(), &b"x"[..], limit);
            assert!(matches!(read, Err(ReadError::Io { .. })));
        }
    }

    #[test]
    fn a_file_that_hides_its_size_stays_within_the_limit() {
        // Files under /proc say that they have no bytes.
        let path = Path::new("/proc/self/maps");
        if path.exists() {
            assert!(refusal(path).contains("has more than 64 bytes"));
        }
    }
}
