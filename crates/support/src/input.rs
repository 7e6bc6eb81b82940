//! Opens regular files and pipes, and reads at most a given number of bytes from them.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

/// The error for a file or stream that could not be read. The message contains its name and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", name.display())]
pub struct ReadError {
    name: PathBuf,
    #[source]
    fault: io::Error,
}

impl ReadError {
    /// Makes the error for a fault of the file or stream with this name.
    pub fn new(name: &Path, fault: io::Error) -> Self {
        let name = name.to_owned();
        Self { name, fault }
    }

    /// True if the file does not exist.
    pub fn is_not_found(&self) -> bool {
        self.fault.kind() == io::ErrorKind::NotFound
    }

    /// True if the file or stream has more bytes than the limit.
    pub fn is_too_long(&self) -> bool {
        self.fault.kind() == io::ErrorKind::FileTooLarge
    }
}

/// Opens a regular file, and returns it with its size in bytes. Refuses a pipe without waiting for a writer.
///
/// # Errors
/// If the path leads to a directory, pipe, socket or device, or the file cannot be opened.
pub fn open(path: &Path) -> Result<(File, u64), ReadError> {
    open_within(path, u64::MAX)
}

/// Opens a regular file of at most `limit` bytes. Returns the file and its size in bytes.
///
/// # Errors
/// The errors of [`open`], and an error if the file has more than `limit` bytes.
pub fn open_within(path: &Path, limit: u64) -> Result<(File, u64), ReadError> {
    let (file, metadata) = open_if(path, "a regular file", |of| of.is_file())?;
    match metadata.len() {
        size if size > limit => {
            let fault = format!("has {size} bytes, expected at most {limit}");
            Err(ReadError::new(path, too_long(fault)))
        }
        size => Ok((file, size)),
    }
}

/// Opens a regular file or a pipe. Returns the opened file and, for a regular file, its size in bytes. If
/// nothing has opened the pipe for writing yet, waits until something does.
///
/// # Errors
/// If the path leads to a directory, socket or device, or the file or pipe cannot be opened.
pub fn open_or_pipe(path: &Path) -> Result<(File, Option<u64>), ReadError> {
    let admitted = |of: FileType| of.is_file() || kind(of) == PIPE;
    let (file, metadata) = open_if(path, "a file or a pipe", admitted)?;
    Ok((file, metadata.is_file().then_some(metadata.len())))
}

fn open_if(
    path: &Path,
    expected: &str,
    admitted: impl Fn(FileType) -> bool,
) -> Result<(File, Metadata), ReadError> {
    let check = |metadata: Metadata| match metadata.file_type() {
        of if admitted(of) => Ok(metadata),
        of => Err(io::Error::other(format!(
            "is {}, expected {expected}",
            kind(of)
        ))),
    };
    let open = || {
        // The type is checked before opening, because opening a pipe waits for a writer. It is checked again
        // after opening, because the path may lead to another file by then.
        check(fs::metadata(path)?)?;
        let file = File::open(path)?;
        let metadata = check(file.metadata()?)?;
        Ok((file, metadata))
    };
    open().map_err(|fault| ReadError::new(path, fault))
}

const PIPE: &str = "a pipe";

/// A name for each type of file except regular files.
fn kind(file_type: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if file_type.is_fifo() {
            return PIPE;
        }
        if file_type.is_socket() {
            return "a socket";
        }
        if file_type.is_char_device() || file_type.is_block_device() {
            return "a device";
        }
    }
    match file_type.is_dir() {
        true => "a directory",
        false => "neither a file nor a directory",
    }
}

fn too_long(fault: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, fault)
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// The errors of [`open_within`], and an error if reading fails or there is not enough memory.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (file, size) = open_within(path, limit)?;
    let mut bytes = Vec::new();
    fill(&mut bytes, path, file, size, limit)?;
    Ok(bytes)
}

/// Reads a text file of at most `limit` bytes. The text is in UTF-8, or in UTF-16 with a byte order mark, as
/// the operator `>` of Windows PowerShell writes it. A byte order mark is removed.
///
/// # Errors
/// The errors of [`read`], and an error if the file is not text.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    decode(read(path, limit)?).map_err(|fault| ReadError::new(path, io::Error::other(fault)))
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

/// Reads a secret as [`read`] does. The bytes are in only one place in memory, which is wiped when the result
/// is dropped. Always reserves `limit` + 64 bytes, even for a smaller file.
///
/// # Errors
/// The errors of [`read`].
pub fn read_secret(path: &Path, limit: u64) -> Result<Zeroizing<Vec<u8>>, ReadError> {
    let (file, _) = open_within(path, limit)?;
    read_secret_from(path, file, limit)
}

/// Reads a stream of at most `limit` bytes to its end. Error messages call the stream `name`.
///
/// # Errors
/// If the stream has more than `limit` bytes, or reading fails.
pub fn read_from(name: &Path, stream: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    fill(&mut bytes, name, stream, 0, limit)?;
    Ok(bytes)
}

/// Reads a secret as [`read_from`] does. The memory is reserved and wiped as in [`read_secret`].
///
/// # Errors
/// The errors of [`read_from`].
pub fn read_secret_from(
    name: &Path,
    stream: impl Read,
    limit: u64,
) -> Result<Zeroizing<Vec<u8>>, ReadError> {
    // To find the end, `read_to_end` needs 32 bytes more than the secret. With them, the buffer need not
    // grow. Growing could leave a copy of the secret in the old place.
    let mut bytes = Zeroizing::new(Vec::new());
    fill(&mut bytes, name, stream, limit.saturating_add(64), limit)?;
    Ok(bytes)
}

/// Reserves `size` bytes and reads to the end. Too little memory is an error here, whereas an ordinary vector
/// would end the process. The limit is compared with the number of bytes that were read, because the size
/// that a file reports may be wrong (under /proc it is 0) or may change.
fn fill(
    bytes: &mut Vec<u8>,
    name: &Path,
    stream: impl Read,
    size: u64,
    limit: u64,
) -> Result<(), ReadError> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let read = || {
        let reserved = bytes.try_reserve_exact(size);
        reserved.map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut stream = stream.take(limit.saturating_add(1));
        match stream.read_to_end(bytes)? as u64 {
            count if count > limit => Err(too_long(format!("has more than {limit} bytes"))),
            _ => Ok(()),
        }
    };
    read().map_err(|fault| ReadError::new(name, fault))
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
        let refused = fill(&mut Vec::new(), &path, io::empty(), 1 << 63, 5).unwrap_err();
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
            assert!(read.unwrap_err().to_string().ends_with("out of memory"));
        }
    }

    #[test]
    fn a_file_that_hides_its_size_stays_within_the_limit() {
        // Files under /proc report a size of 0 bytes.
        let path = Path::new("/proc/self/maps");
        if path.exists() {
            assert!(refusal(path).contains("has more than 64 bytes"));
        }
    }
}
