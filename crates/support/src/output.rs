//! Writes files. A regular file appears when it is complete, or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

use crate::temporary::{Temporary, directory_of, registry};

/// The size of the write buffer, in bytes.
const BUFFER: usize = 1 << 16;

/// An error in writing a file. The first field of each variant is the name of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A file of this name exists, and must not be replaced.
    #[error("cannot write {0}: the file exists")]
    Exists(String),
    /// This program already has an open output for the same file.
    #[error("cannot write {0}: two outputs are meant for this file")]
    Twice(String),
    /// The operating system reported an error, or the program is ending.
    #[error("cannot write {0}: {1}")]
    Io(String, #[source] io::Error),
    /// The file is in place, but its directory could not be synchronised to the disk.
    #[error("{0} is written, but a power cut could still undo that: {1}")]
    NotDurable(String, #[source] io::Error),
}

/// The options for creating a file.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// True for a secret. On Unix, only its owner can read and write the file. On other systems, this does
    /// not affect permissions. A secret is not buffered, so write the content in one call.
    pub secret: bool,
    /// True if an older file of the same name may be replaced.
    pub replace: bool,
}

/// A file that is being written, or standard output.
///
/// The bytes go to a temporary file in the same directory, and [`commit`](Self::commit) renames that file. So
/// an older file can be read while it is being replaced. It stays as it was if the output is dropped earlier,
/// on an error or in a panic. Standard output, a device or a pipe is written in place.
pub struct Output {
    target: BufWriter<Target>,
    name: String,
    written: u64,
}

impl Output {
    /// Opens a file that will replace an older file of this name. On Unix, the new file gets the older file's
    /// permissions to read and write, less the umask. If there is no older file, the new file gets the
    /// permissions 0o666, less the umask.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the directory cannot be written to, and [`WriteError::Twice`] if this program
    /// already has an open output for the same file.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let options = Options {
            secret: false,
            replace: true,
        };
        Self::create_with(path, options)
    }

    /// Opens a file with [`Options`].
    ///
    /// # Errors
    /// The errors of [`create`](Self::create). If an older file exists and must not be replaced, also
    /// [`WriteError::Exists`], from this function or from [`commit`](Self::commit).
    pub fn create_with(path: &Path, options: Options) -> Result<Self, WriteError> {
        let Options { secret, replace } = options;
        let name = path.display().to_string();
        if !replace && path.symlink_metadata().is_ok() {
            return Err(WriteError::Exists(name));
        }
        // A buffer would keep a copy of a secret.
        let (mode, buffer) = if secret { (0o600, 0) } else { (0o666, BUFFER) };
        match Target::open(path, &name, mode, replace) {
            Ok(Some(target)) => Ok(Self::over(target, name, buffer)),
            Ok(None) => Err(WriteError::Twice(name)),
            Err(error) => Err(WriteError::Io(name, error)),
        }
    }

    /// Returns standard output, which is written in place.
    pub fn stdout() -> Self {
        let name = "standard output";
        Self::over(Target::in_place(io::stdout(), name), name.into(), BUFFER)
    }

    fn over(target: Target, name: String, buffer: usize) -> Self {
        Self {
            target: BufWriter::with_capacity(buffer, target),
            name,
            written: 0,
        }
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of bytes written so far, including those that are still in memory.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Synchronises the complete file to the disk and puts it in place. After a power cut, either the old
    /// file or the new file is there.
    ///
    /// # Errors
    /// [`WriteError::NotDurable`] if the file is in place, but its name is possibly not on the disk yet.
    /// After any other [`WriteError`], an older file is unchanged.
    pub fn commit(self) -> Result<(), WriteError> {
        let Self { target, name, .. } = self;
        let target = target.into_inner().map_err(IntoInnerError::into_error);
        match target.and_then(Target::complete) {
            Ok(directory) => directory
                .map_or(Ok(()), |directory| synchronise(&directory))
                .map_err(|error| WriteError::NotDurable(name, error)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteError::Exists(name))
            }
            Err(error) => Err(WriteError::Io(name, error)),
        }
    }

    /// Removes the temporary file, if there is one. In that case, [`abandon`](crate::abandon()) returns no
    /// clause about the output. To test whether a file can be written, create an output and discard it.
    pub fn discard(self) {
        if let (Target::Temporary(temporary), _unwritten) = self.target.into_parts() {
            temporary.discard();
        }
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.target.write(buffer)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

/// The destination of an output's bytes.
enum Target {
    /// Standard output, a device or a pipe, which no file may replace.
    InPlace {
        stream: Box<dyn Write + Send>,
        /// The clause that [`abandon`](crate::abandon()) returns about this output, from the first write
        /// until the output is complete.
        incomplete: String,
    },
    Temporary(Temporary),
}

impl Target {
    /// Opens the destination. Returns `None` if another open output is for the same file.
    fn open(path: &Path, name: &str, mode: u32, replace: bool) -> io::Result<Option<Self>> {
        let path = place_of(path)?;
        let mode = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                return Ok(Some(Self::in_place(File::create(path)?, name)));
            }
            #[cfg(unix)]
            Ok(metadata) => {
                use std::os::unix::fs::PermissionsExt;
                // The older file's permissions, without any that `mode` lacks, so that a key stays private.
                metadata.permissions().mode() & mode
            }
            _ => mode,
        };
        Ok(Temporary::open(path, name, mode, replace)?.map(Self::Temporary))
    }

    fn in_place(stream: impl Write + Send + 'static, name: &str) -> Self {
        Self::InPlace {
            stream: Box::new(stream),
            incomplete: format!("{name} is incomplete"),
        }
    }

    /// Completes the output. If this renames a file, returns the directory of the file.
    fn complete(self) -> io::Result<Option<PathBuf>> {
        match self {
            Self::Temporary(temporary) => temporary.persist().map(Some),
            Self::InPlace {
                mut stream,
                incomplete,
            } => {
                stream.flush()?;
                registry().told.remove(&incomplete);
                Ok(None)
            }
        }
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary(temporary) => temporary.file.write(buffer),
            Self::InPlace { stream, incomplete } => {
                registry().told.insert(incomplete.clone());
                stream.write(buffer)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(temporary) => temporary.file.flush(),
            Self::InPlace { stream, .. } => stream.flush(),
        }
    }
}

/// Returns the path of the file that this path leads to, even if that file does not exist. Symbolic links are
/// followed, so that a link is not replaced by a file, and each file has only one path.
fn place_of(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // Linux follows the same number of links.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else {
            let Some(name) = path.file_name() else {
                return fs::canonicalize(&path);
            };
            return Ok(fs::canonicalize(directory_of(&path))?.join(name));
        };
        path = directory_of(&path).join(target);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Synchronises a directory, so that the names of its files are on the disk. Does nothing if directories
/// cannot be opened or synchronised.
fn synchronise(directory: &Path) -> io::Result<()> {
    let Ok(directory) = File::open(directory) else {
        return Ok(());
    };
    directory.sync_all().or_else(|error| match error.kind() {
        io::ErrorKind::InvalidInput
        | io::ErrorKind::Unsupported
        | io::ErrorKind::PermissionDenied => Ok(()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        output.flush().unwrap();
        assert_eq!(names(dir.path()).len(), 2);
        drop(output);
        assert_eq!(names(dir.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");

        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert_eq!(names(dir.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn two_outputs_are_two_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        let first = Output::create(&dir.path().join("out")).unwrap();
        let again = Output::create(&dir.path().join("sub/../out")).map(drop);
        assert!(matches!(again, Err(WriteError::Twice(_))));
        drop(first);
        Output::create(&dir.path().join("sub/../out"))
            .unwrap()
            .commit()
            .unwrap();
        assert!(dir.path().join("out").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        symlink("file", &link).unwrap();
        // In the first round, the target of the link does not exist yet.
        for content in ["first", "second"] {
            let mut output = Output::create(&link).unwrap();
            output.write_all(content.as_bytes()).unwrap();
            output.commit().unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), content);
            assert!(link.symlink_metadata().unwrap().is_symlink());
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        Output::create(&file).unwrap().commit().unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_key_replaces_no_file_unasked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let secret = |replace| Options {
            secret: true,
            replace,
        };
        let output = Output::create_with(&path, secret(false)).unwrap();
        assert_eq!(output.target.capacity(), 0, "no copy of a secret");
        fs::write(&path, "somebody else's").unwrap();
        let late = output.commit();
        assert!(matches!(late, Err(WriteError::Exists(_))));
        let early = Output::create_with(&path, secret(false)).map(drop);
        assert!(matches!(early, Err(WriteError::Exists(_))));
        Output::create_with(&path, secret(true))
            .unwrap()
            .commit()
            .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_directory_that_cannot_be_synchronised_is_no_error() {
        for directory in ["/proc", "/nowhere", "/dev/null"] {
            synchronise(directory.as_ref()).unwrap();
        }
    }
}
