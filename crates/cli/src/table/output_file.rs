//! Where a table is written: a file that appears when it is complete, or
//! standard output.
//!
//! The rows go to a temporary file beside the final one, which takes its place
//! at the end. So a run that fails leaves an older file as it was, no half table
//! looks like a whole one, and a table can be written over the one it was read
//! from.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::Error;

/// A table's file while it is written.
pub struct OutputFile {
    target: BufWriter<Target>,
    name: String,
}

enum Target {
    Stdout(io::Stdout),
    /// A device or a pipe: nothing may take its place.
    Special(File),
    Temporary {
        file: NamedTempFile,
        path: PathBuf,
    },
}

impl OutputFile {
    /// Opens the file; standard output without a path.
    pub fn create(path: Option<&Path>) -> Result<Self, Error> {
        let name = path.map_or("standard output".into(), |path| path.display().to_string());
        let target = match path {
            None => Target::Stdout(io::stdout()),
            Some(path) => Target::open(path).map_err(|error| Error::write(&name, &error))?,
        };
        let target = BufWriter::with_capacity(1 << 16, target);
        Ok(Self { target, name })
    }

    /// The file's name, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Puts the complete file in its place.
    pub fn commit(self) -> Result<(), Error> {
        let failed = |error: &io::Error| Error::write(&self.name, error);
        let target = self
            .target
            .into_inner()
            .map_err(|error| failed(error.error()))?;
        match target {
            Target::Stdout(mut stdout) => stdout.flush().map_err(|error| failed(&error)),
            Target::Special(_) => Ok(()),
            Target::Temporary { file, path } => {
                file.persist(path).map_err(|error| failed(&error.error))?;
                Ok(())
            }
        }
    }
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        // Through a symbolic link, so that the link stays one.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return File::create(path).map(Self::Special);
        }
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".klero-").suffix(".partial");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file: the umask decides.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(directory)?;
        Ok(Self::Temporary { file, path })
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(buffer),
            Self::Special(file) => file.write(buffer),
            Self::Temporary { file, .. } => file.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Special(file) => file.flush(),
            Self::Temporary { file, .. } => file.flush(),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.target.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}
