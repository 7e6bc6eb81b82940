//! Writing: a file appears when it is complete, or not at all.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

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
    /// The operating system refused.
    #[error("cannot write {name}: {error}")]
    Io {
        /// The file.
        name: String,
        /// Why.
        #[source]
        error: io::Error,
    },
}

/// A file while it is written, or standard output.
///
/// The bytes go to a temporary file beside the final one, which takes its place in
/// [`commit`](Self::commit). A writer that is dropped before, on an error or in a panic,
/// leaves an older file as it was. So a file can be written over the one it is made from.
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
}

enum Target {
    Stdout(io::Stdout),
    /// A device or a pipe: nothing may take its place.
    Special(File),
    Temporary(Temporary),
}

/// A file that is not in its place yet.
struct Temporary {
    /// `None` after it was put in its place.
    file: Option<NamedTempFile>,
    /// The name under which [`abandon`] knows it.
    registered: PathBuf,
    path: PathBuf,
    replace: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(self.file.take());
        registry().paths.remove(&self.registered);
    }
}

/// The temporary files of this process.
struct Registry {
    paths: BTreeSet<PathBuf>,
    closed: bool,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    paths: BTreeSet::new(),
    closed: false,
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all outputs that were not committed, and lets no more be
/// made: for a program that is about to end because it was told to. Returns how many there
/// were.
///
/// ```
/// // In a handler of signals, before `std::process::exit`.
/// klero_files::abandon();
/// ```
pub fn abandon() -> usize {
    let mut registry = registry();
    registry.closed = true;
    let paths = std::mem::take(&mut registry.paths);
    for path in &paths {
        // If it is gone, or cannot be removed, there is nothing else to try.
        let _ = fs::remove_file(path);
    }
    paths.len()
}

impl Output {
    /// Opens a file that will replace one of this name, with the permissions that the umask
    /// gives a new file. A device or a pipe is written as it is.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the directory cannot be written to.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, 0o666, true)
    }

    /// Opens a key file: readable by its owner alone if `secret`, and put in the place of an
    /// older file only if `replace`. The permissions are Unix's; elsewhere the directory
    /// decides.
    ///
    /// # Errors
    /// As [`create`](Self::create), and [`WriteError::Exists`] at once or in
    /// [`commit`](Self::commit).
    ///
    /// ```
    /// let path = std::env::temp_dir().join("klero-files-key");
    /// # let _ = std::fs::remove_file(&path);
    /// klero_files::Output::create_key(&path, true, false)?.commit()?;
    /// assert!(klero_files::Output::create_key(&path, true, false).is_err());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create_key(path: &Path, secret: bool, replace: bool) -> Result<Self, WriteError> {
        if !replace && path.symlink_metadata().is_ok() {
            return Err(WriteError::Exists {
                name: path.display().to_string(),
            });
        }
        Self::open(path, if secret { 0o600 } else { 0o666 }, replace)
    }

    /// Standard output, which is not held back.
    ///
    /// ```
    /// use std::io::Write;
    /// let mut output = klero_files::Output::stdout();
    /// writeln!(output, "key,proof")?;
    /// output.commit()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stdout() -> Self {
        Self::over(Target::Stdout(io::stdout()), "standard output".into())
    }

    fn open(path: &Path, mode: u32, replace: bool) -> Result<Self, WriteError> {
        let name = path.display().to_string();
        match Target::open(path, mode, replace) {
            Ok(target) => Ok(Self::over(target, name)),
            Err(error) => Err(WriteError::Io { name, error }),
        }
    }

    fn over(target: Target, name: String) -> Self {
        Self {
            target: BufWriter::with_capacity(1 << 16, target),
            name,
        }
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Puts the complete file in its place, after it is on the disk: a power cut leaves the
    /// old file or the new.
    ///
    /// # Errors
    /// [`WriteError`]; the older file, if there was one, is as it was.
    pub fn commit(self) -> Result<(), WriteError> {
        let Self { target, name } = self;
        let put = || match target
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?
        {
            Target::Stdout(mut stdout) => stdout.flush(),
            Target::Special(_) => Ok(()),
            Target::Temporary(temporary) => temporary.persist(),
        };
        put().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => WriteError::Exists { name },
            _ => WriteError::Io { name, error },
        })
    }
}

impl Temporary {
    fn open(path: PathBuf, mode: u32, replace: bool) -> io::Result<Self> {
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".klero-").suffix(".partial");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        #[cfg(not(unix))]
        let _ = mode;
        // Under the lock: no file is made that `abandon` does not know.
        let mut registry = registry();
        if registry.closed {
            return Err(io::Error::other("the program is ending"));
        }
        let file = builder.tempfile_in(directory)?;
        let registered = file.path().to_owned();
        registry.paths.insert(registered.clone());
        Ok(Self {
            file: Some(file),
            registered,
            path,
            replace,
        })
    }

    fn persist(mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        file.as_file().sync_all()?;
        let put = if self.replace {
            file.persist(&self.path)
        } else {
            file.persist_noclobber(&self.path)
        };
        put.map(drop).map_err(|error| error.error)
    }
}

impl Target {
    fn open(path: &Path, mode: u32, replace: bool) -> io::Result<Self> {
        // Through a symbolic link, so that the link stays one.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return File::create(path).map(Self::Special);
        }
        Temporary::open(path, mode, replace).map(Self::Temporary)
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(buffer),
            Self::Special(file) => file.write(buffer),
            Self::Temporary(Temporary { file, .. }) => match file {
                Some(file) => file.write(buffer),
                None => Err(io::ErrorKind::NotConnected.into()),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Special(file) => file.flush(),
            Self::Temporary(Temporary { file, .. }) => match file {
                Some(file) => file.flush(),
                None => Ok(()),
            },
        }
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.target.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}

#[cfg(test)]
mod tests {
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
    fn a_key_replaces_no_file_unasked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        let output = Output::create_key(&path, true, false).unwrap();
        fs::write(&path, "somebody else's").unwrap();
        let late = output.commit();
        assert!(matches!(late, Err(WriteError::Exists { .. })));
        let early = Output::create_key(&path, true, false).map(drop);
        assert!(matches!(early, Err(WriteError::Exists { .. })));
        Output::create_key(&path, true, true)
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
