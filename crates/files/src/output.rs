//! Writing: a file appears when it is complete, or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::target::Target;

/// Size of the write buffer, in bytes.
const BUFFER: usize = 1 << 16;

/// Why a file was not written. The message names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A file of this name exists, and was not to be replaced.
    #[error("cannot write {name}: the file exists")]
    Exists {
        /// The file.
        name: String,
    },
    /// Another output of this program, not committed yet, is for the same file.
    #[error("cannot write {name}: two outputs are meant for this file")]
    Twice {
        /// The file.
        name: String,
    },
    /// The operating system refused.
    #[error("cannot write {name}: {error}")]
    Io {
        /// The file.
        name: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The file is in place, but its directory could not be synchronised to the disk.
    #[error("{name} is written, but a power cut could still undo that: {error}")]
    NotDurable {
        /// The file.
        name: String,
        /// Why.
        #[source]
        error: io::Error,
    },
}

/// How a file is created.
///
/// ```
/// // A key file that must not exist yet.
/// let options = klero_files::Options { secret: true, replace: false };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The file is readable by its owner alone (on Unix; elsewhere this changes nothing). Writes
    /// are not buffered: write it at once.
    pub secret: bool,
    /// An older file of the same name is replaced.
    pub replace: bool,
}

/// A file while it is written, or standard output.
///
/// The bytes go to a temporary file in the same directory, which [`commit`](Self::commit)
/// renames. An output that is dropped before, on an error or in a panic, leaves an older file
/// as it was. So a file can be read while its replacement is written.
///
/// ```
/// use std::io::Write;
/// let dir = std::env::temp_dir().join("klero-files-output");
/// std::fs::create_dir_all(&dir)?;
/// let path = dir.join("table.csv");
/// let mut output = klero_files::Output::create(&path)?;
/// output.write_all(b"key,proof\n")?;
/// assert!(!path.exists());
/// output.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"key,proof\n");
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Output {
    target: BufWriter<Target>,
    name: String,
    written: u64,
}

impl Output {
    /// Opens a file that will replace one of this name. It gets the older file's permissions,
    /// or those that the umask gives a new file. A device or a pipe is written in place.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the directory cannot be written to, [`WriteError::Twice`] if
    /// another output that is not committed is for the same file.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, 0o666, true, BUFFER)
    }

    /// Opens a file with [`Options`].
    ///
    /// # Errors
    /// As [`create`](Self::create), and [`WriteError::Exists`] at once or in
    /// [`commit`](Self::commit).
    ///
    /// ```
    /// use klero_files::{Options, Output};
    /// let path = std::env::temp_dir().join("klero-files-secret");
    /// # let _ = std::fs::remove_file(&path);
    /// let options = Options { secret: true, replace: false };
    /// Output::create_with(&path, options)?.commit()?;
    /// assert!(Output::create_with(&path, options).is_err());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_with(path: &Path, options: Options) -> Result<Self, WriteError> {
        let Options { secret, replace } = options;
        if !replace && path.symlink_metadata().is_ok() {
            return Err(WriteError::Exists {
                name: path.display().to_string(),
            });
        }
        if secret {
            // Without a buffer, which would keep a copy of the secret.
            Self::open(path, 0o600, replace, 0)
        } else {
            Self::open(path, 0o666, replace, BUFFER)
        }
    }

    /// Standard output, written in place.
    ///
    /// ```
    /// use std::io::Write;
    /// let mut output = klero_files::Output::stdout();
    /// writeln!(output, "key,proof")?;
    /// output.commit()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stdout() -> Self {
        let name = "standard output";
        Self::over(Target::through(io::stdout(), name), name.into(), BUFFER)
    }

    fn open(path: &Path, mode: u32, replace: bool, buffer: usize) -> Result<Self, WriteError> {
        let name = path.display().to_string();
        match Target::open(path, &name, mode, replace) {
            Ok(Some(target)) => Ok(Self::over(target, name, buffer)),
            Ok(None) => Err(WriteError::Twice { name }),
            Err(error) => Err(WriteError::Io { name, error }),
        }
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

    /// The bytes written so far, those that are still in memory included.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Puts the complete file in place, after synchronising it to the disk: a power cut leaves
    /// the old file or the new one.
    ///
    /// # Errors
    /// [`WriteError::NotDurable`] if the file is in place, and only its name may not be on the disk. After any
    /// other [`WriteError`] the older file, if there was one, is as it was.
    pub fn commit(self) -> Result<(), WriteError> {
        let Self { target, name, .. } = self;
        let put = || match target
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?
        {
            Target::Through(mut through) => through.finish().map(|()| None),
            Target::Temporary(temporary) => temporary.persist().map(Some),
        };
        match put() {
            Ok(None) => Ok(()),
            Ok(Some(placed)) => placed
                .synchronise()
                .map_err(|error| WriteError::NotDurable { name, error }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteError::Exists { name })
            }
            Err(error) => Err(WriteError::Io { name, error }),
        }
    }

    /// Removes what was written, without an entry in what [`abandon`](crate::abandon()) returns.
    /// For a trial whether a file can be written.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("klero-files-discard");
    /// klero_files::Output::create(&path)?.discard();
    /// assert!(!path.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn discard(self) {
        let (target, _unwritten) = self.target.into_parts();
        if let Target::Temporary(temporary) = target {
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
        assert!(matches!(again, Err(WriteError::Twice { .. })));
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
        // First through a link whose target does not exist yet.
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
        assert!(matches!(late, Err(WriteError::Exists { .. })));
        let early = Output::create_with(&path, secret(false)).map(drop);
        assert!(matches!(early, Err(WriteError::Exists { .. })));
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
}
