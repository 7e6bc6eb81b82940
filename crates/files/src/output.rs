//! Writing: a file appears when it is complete, or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

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
    Through(Through),
    Temporary(Temporary),
}

/// Standard output, a device or a pipe: nothing may take its place.
struct Through {
    stream: Box<dyn Write + Send>,
    name: String,
    /// Whether something was written; the registry knows it then.
    begun: bool,
}

impl Through {
    fn incomplete(&self) -> Abandoned {
        Abandoned {
            name: self.name.clone(),
            fate: Fate::Incomplete,
        }
    }

    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if !self.begun {
            registry().dropped.insert(self.incomplete());
            self.begun = true;
        }
        self.stream.write(buffer)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.stream.flush()?;
        registry().dropped.remove(&self.incomplete());
        Ok(())
    }
}

/// A file that is not in its place yet.
struct Temporary {
    /// `None` after it was put in its place.
    file: Option<NamedTempFile>,
    /// Where it is until then; the registry knows it by this.
    registered: PathBuf,
    path: PathBuf,
    replace: bool,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut registry = registry();
        if let Some(abandoned) = registry.remove(&self.registered) {
            registry.dropped.insert(abandoned);
        }
        drop(self.file.take());
    }
}

/// What became of an output that was not committed; displayed as half a sentence, such as
/// "table.csv was not written".
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Abandoned {
    name: String,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Absent,
    Kept,
    Incomplete,
}

impl fmt::Display for Abandoned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fate = match self.fate {
            Fate::Absent => "was not written",
            Fate::Kept => "is as it was",
            Fate::Incomplete => "is incomplete",
        };
        write!(f, "{} {fate}", self.name)
    }
}

/// What this process has not committed.
struct Registry {
    /// By temporary file, the name and the place of the final one.
    temporaries: BTreeMap<PathBuf, (String, PathBuf)>,
    /// Dropped, or written to without a temporary file.
    dropped: BTreeSet<Abandoned>,
    closed: bool,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    temporaries: BTreeMap::new(),
    dropped: BTreeSet::new(),
    closed: false,
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    fn refuse_if_closed(&self) -> io::Result<()> {
        if self.closed {
            return Err(io::Error::other("the program is ending"));
        }
        Ok(())
    }

    /// Forgets a temporary file, and says what stands in the place it was meant for.
    fn remove(&mut self, temporary: &Path) -> Option<Abandoned> {
        let (name, path) = self.temporaries.remove(temporary)?;
        let fate = if path.symlink_metadata().is_ok() {
            Fate::Kept
        } else {
            Fate::Absent
        };
        Some(Abandoned { name, fate })
    }
}

/// Ends all writing, for a program that stops because of an error or because it was told
/// to: removes the temporary files of all outputs that were not committed and lets no more
/// be made. Returns what became of each output that was opened and never committed.
///
/// ```
/// // Before `std::process::exit`, in a handler of signals for example.
/// for output in klero_files::abandon() {
///     eprintln!("interrupted; {output}"); // "interrupted; table.csv was not written"
/// }
/// ```
pub fn abandon() -> Vec<Abandoned> {
    let mut registry = registry();
    registry.closed = true;
    while let Some(path) = registry.temporaries.keys().next().cloned() {
        // If it is gone, or cannot be removed, there is nothing else to try.
        let _ = fs::remove_file(&path);
        let abandoned = registry.remove(&path);
        registry.dropped.extend(abandoned);
    }
    std::mem::take(&mut registry.dropped).into_iter().collect()
}

impl Output {
    /// Opens a file that will replace one of this name and take over its permissions, or get
    /// those that the umask gives a new file. A device or a pipe is written as it is.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the directory cannot be written to, [`WriteError::Twice`] if
    /// another output that is not committed is for the same file.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        Self::open(path, 0o666, true, BUFFER)
    }

    /// Opens a key file: readable by its owner alone if `secret`, and put in the place of an
    /// older file only if `replace`. The permissions are Unix's; elsewhere the directory
    /// decides. What is written to a secret file is held in no buffer: write it at once.
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
        if secret {
            // Without a buffer, which would keep a copy of the key.
            Self::open(path, 0o600, replace, 0)
        } else {
            Self::open(path, 0o666, replace, BUFFER)
        }
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
            Target::Through(mut through) => through.finish(),
            Target::Temporary(temporary) => temporary.persist(),
        };
        put().map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => WriteError::Exists { name },
            _ => WriteError::Io { name, error },
        })
    }
}

impl Output {
    /// Gives up on purpose, as after trying whether a file can be written: what was written is
    /// removed, and [`abandon`] has nothing to say of it.
    ///
    /// ```
    /// let path = std::env::temp_dir().join("klero-files-discard");
    /// klero_files::Output::create(&path)?.discard();
    /// assert!(!path.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn discard(self) {
        let (target, _unwritten) = self.target.into_parts();
        if let Target::Temporary(mut temporary) = target {
            let mut registry = registry();
            drop(temporary.file.take());
            registry.temporaries.remove(&temporary.registered);
        }
    }
}

impl Temporary {
    /// `None` if another output is for the same file.
    fn open(path: PathBuf, name: &str, mode: u32, replace: bool) -> io::Result<Option<Self>> {
        let directory = directory_of(&path);
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
        registry.refuse_if_closed()?;
        if registry
            .temporaries
            .values()
            .any(|(_, other)| *other == path)
        {
            return Ok(None);
        }
        let file = builder.tempfile_in(directory)?;
        let registered = file.path().to_owned();
        let outcome = (name.to_owned(), path.clone());
        registry.temporaries.insert(registered.clone(), outcome);
        Ok(Some(Self {
            file: Some(file),
            registered,
            path,
            replace,
        }))
    }

    fn persist(mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        file.as_file().sync_all()?;
        // Under the lock: what `abandon` says of a file stays true.
        let mut registry = registry();
        registry.refuse_if_closed()?;
        let put = if self.replace {
            file.persist(&self.path)
        } else {
            file.persist_noclobber(&self.path)
        };
        put.map_err(|error| error.error)?;
        registry.temporaries.remove(&self.registered);
        drop(registry);
        // The new name is on the disk as well, where directories can be synchronised.
        let directory = File::open(directory_of(&self.path));
        let _ = directory.and_then(|directory| directory.sync_all());
        Ok(())
    }
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The file that a path stands for, whether it exists or not: through symbolic links, so
/// that a link stays one, and one name for each file.
fn place_of(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(target) => path = directory_of(&path).join(target),
            Err(_) => {
                let Some(name) = path.file_name() else {
                    return fs::canonicalize(&path);
                };
                return Ok(fs::canonicalize(directory_of(&path))?.join(name));
            }
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

impl Target {
    fn through(stream: impl Write + Send + 'static, name: &str) -> Self {
        Self::Through(Through {
            stream: Box::new(stream),
            name: name.to_owned(),
            begun: false,
        })
    }

    /// `None` if another output is for the same file.
    fn open(path: &Path, name: &str, mode: u32, replace: bool) -> io::Result<Option<Self>> {
        let path = place_of(path)?;
        let mode = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                return Ok(Some(Self::through(File::create(path)?, name)));
            }
            #[cfg(unix)]
            Ok(metadata) => {
                use std::os::unix::fs::PermissionsExt;
                // A key file stays as private as it is to be.
                metadata.permissions().mode() & mode
            }
            _ => mode,
        };
        Ok(Temporary::open(path, name, mode, replace)?.map(Self::Temporary))
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Through(through) => through.write(buffer),
            Self::Temporary(Temporary { file, .. }) => match file {
                Some(file) => file.write(buffer),
                None => Err(io::ErrorKind::NotConnected.into()),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Through(through) => through.stream.flush(),
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
        let output = Output::create_key(&path, true, false).unwrap();
        assert_eq!(output.target.capacity(), 0, "no copy of a secret");
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
