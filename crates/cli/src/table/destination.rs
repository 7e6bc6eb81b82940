//! The options that say where a table is written.

use std::fs;
use std::path::{Path, PathBuf};

use super::format::Format;
use super::interface::Writer;
use crate::choice;
use crate::error::Error;

/// The table that a command writes.
#[derive(clap::Args)]
pub struct Destination {
    /// Table to write, - for standard output. The end of its name says its format. The file
    /// appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Format to write, if the name of the table does not say it
    #[arg(long, value_name = "FORMAT", value_parser = choice::format())]
    out_format: Option<Format>,
}

impl Destination {
    /// The file; `None` is standard output.
    fn path(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Its name, for messages.
    pub fn name(&self) -> String {
        let name = self.path().map(|path| path.display().to_string());
        name.unwrap_or_else(|| "standard output".into())
    }

    /// Whether the rows go to this file.
    pub fn is(&self, file: &Path) -> bool {
        let Some(path) = self.path() else {
            return false;
        };
        let of_both = fs::canonicalize(path).and_then(|path| Ok((path, fs::canonicalize(file)?)));
        of_both.is_ok_and(|(path, file)| path == file)
    }

    /// Whether the rows go to standard output.
    pub fn is_stdout(&self) -> bool {
        self.path().is_none()
    }

    /// The format in which it is written. On standard output it is `otherwise` by default.
    pub fn format(&self, otherwise: Format) -> Result<Format, Error> {
        let named = match self.path() {
            None => Some(otherwise),
            Some(path) => Format::of(path),
        };
        self.out_format.or(named).ok_or_else(|| {
            let name = self.out.as_deref().unwrap_or(Path::new("-")).display();
            Error::new(format!(
                "cannot write {name}: unknown format: expected a name that ends in {}, or \
                 --out-format",
                Format::expected()
            ))
        })
    }

    /// Creates it.
    pub fn create(&self, format: Format) -> Result<Box<dyn Writer>, Error> {
        format.create(self.path())
    }
}
