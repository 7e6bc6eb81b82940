//! Where an output's bytes go: to a temporary file, or straight to a stream.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::abandon::{Abandoned, registry};
use crate::left;

/// Where the bytes of an output go.
pub(crate) enum Target {
    /// In place.
    Through(Through),
    /// To a temporary file.
    Temporary(Temporary),
}

/// Standard output, a device or a pipe, which no file may replace.
pub(crate) struct Through {
    stream: Box<dyn Write + Send>,
    name: String,
    /// Whether something was written. It is in the registry from then on.
    begun: bool,
}

impl Through {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if !self.begun {
            registry().dropped.insert(Abandoned::incomplete(&self.name));
            self.begun = true;
        }
        self.stream.write(buffer)
    }

    /// Completes the output.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.stream.flush()?;
        registry()
            .dropped
            .remove(&Abandoned::incomplete(&self.name));
        Ok(())
    }
}

/// A file that is not in place yet.
pub(crate) struct Temporary {
    /// `None` after it was put in place.
    file: Option<NamedTempFile>,
    /// Its path until then, under which it is in the registry.
    registered: PathBuf,
    /// Its final path.
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

impl Temporary {
    /// `None` if another output is for the same file.
    fn open(path: PathBuf, name: &str, mode: u32, replace: bool) -> io::Result<Option<Self>> {
        let directory = directory_of(&path);
        // Under the lock, so that `abandon` knows every file that is made.
        let mut registry = registry();
        registry.refuse_if_closed()?;
        if registry
            .temporaries
            .values()
            .any(|(_, other)| *other == path)
        {
            return Ok(None);
        }
        if registry.looked.insert(directory.to_owned()) {
            left::remove_left(directory);
        }
        let file = left::create(directory, mode)?;
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

    /// Removes the file and its entry in the registry.
    pub(crate) fn discard(mut self) {
        let mut registry = registry();
        drop(self.file.take());
        registry.temporaries.remove(&self.registered);
    }

    /// Puts the file in place. Its name is not on the disk yet: see [`Placed::synchronise`].
    pub(crate) fn persist(mut self) -> io::Result<Placed> {
        let placed = Placed(directory_of(&self.path).to_owned());
        let Some(file) = self.file.take() else {
            return Ok(placed);
        };
        file.as_file().sync_all()?;
        // Under the lock, so that what `abandon` says of a file stays true.
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
        Ok(placed)
    }
}

/// The directory of a file that was put in place.
pub(crate) struct Placed(PathBuf);

impl Placed {
    /// Puts the file's name on the disk, where directories can be opened and synchronised.
    pub(crate) fn synchronise(&self) -> io::Result<()> {
        let Ok(directory) = File::open(&self.0) else {
            return Ok(());
        };
        directory.sync_all().or_else(|error| match error.kind() {
            io::ErrorKind::InvalidInput
            | io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied => Ok(()),
            _ => Err(error),
        })
    }
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The file that a path leads to, whether it exists or not. Symbolic links are followed, so
/// that a link is not replaced by a file, and each file has one path.
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
    /// Standard output, a device or a pipe.
    pub(crate) fn through(stream: impl Write + Send + 'static, name: &str) -> Self {
        Self::Through(Through {
            stream: Box::new(stream),
            name: name.to_owned(),
            begun: false,
        })
    }

    /// A file of this path. `None` if another output is for the same file.
    pub(crate) fn open(
        path: &Path,
        name: &str,
        mode: u32,
        replace: bool,
    ) -> io::Result<Option<Self>> {
        let path = place_of(path)?;
        let mode = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => {
                return Ok(Some(Self::through(File::create(path)?, name)));
            }
            #[cfg(unix)]
            Ok(metadata) => {
                use std::os::unix::fs::PermissionsExt;
                // The older file's permissions, without any that `mode` lacks: a key stays private.
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
                // Not through the name, which would be in the errors.
                Some(file) => file.as_file_mut().write(buffer),
                None => Err(io::ErrorKind::NotConnected.into()),
            },
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Through(through) => through.stream.flush(),
            Self::Temporary(Temporary { file, .. }) => match file {
                Some(file) => file.as_file_mut().flush(),
                None => Ok(()),
            },
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_synchronised_is_no_error() {
        for directory in ["/proc", "/nowhere", "/dev/null"] {
            Placed(directory.into()).synchronise().unwrap();
        }
    }
}
