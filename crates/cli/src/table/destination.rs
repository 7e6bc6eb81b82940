//! The options for the destination of a table, and the target that they select.

use std::fs;
use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

use super::format::Format;
use super::interface::{Dialect, Writer};
use super::preview::Preview;
use crate::ui::error::Error;

/// The table that a command writes.
#[derive(clap::Args)]
pub struct Destination {
    /// Table to write, or - for standard output. The end of its name determines its format. The file appears
    /// when it is complete. Without this option, rows go to standard output; a terminal then shows only the
    /// first ten, shortened
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Format to write, if the name of the table does not determine it
    #[arg(long, value_name = "FORMAT", value_parser = Format::choice())]
    pub out_format: Option<Format>,
}

impl Destination {
    /// Returns the target that the options select. On standard output, the default format is `otherwise`.
    pub fn target(&self, otherwise: Format) -> Result<Target, Error> {
        let path = self.out.clone().filter(|path| path != Path::new("-"));
        let named = match &path {
            None => Some(otherwise),
            Some(path) => Format::of(path),
        };
        let format = self.out_format.or(named).ok_or_else(|| {
            let name = self.out.as_deref().unwrap_or(Path::new("-")).display();
            Error::new(format!(
                "cannot write {name}: unknown format: expected a name that ends in {}, or \
                 --out-format",
                Format::expected()
            ))
        })?;
        let is_preview = self.out.is_none() && self.out_format.is_none() && stdout().is_terminal();
        Ok(match path {
            Some(path) => Target::File(path, format),
            None if is_preview => Target::Preview,
            None => Target::Stdout(format),
        })
    }
}

/// The target of a table, and its format.
#[derive(Debug)]
pub enum Target {
    /// A file.
    File(PathBuf, Format),
    /// Standard output.
    Stdout(Format),
    /// No table is written. The terminal shows the first rows.
    Preview,
}

impl Target {
    /// The name of the target, for messages.
    pub fn name(&self) -> String {
        match self {
            Self::File(path, _) => path.display().to_string(),
            Self::Stdout(_) | Self::Preview => "standard output".into(),
        }
    }

    /// The format, if there is one.
    pub fn format(&self) -> Option<Format> {
        match self {
            Self::File(_, format) | Self::Stdout(format) => Some(*format),
            Self::Preview => None,
        }
    }

    /// True if the rows go to this file.
    pub fn is(&self, file: &Path) -> bool {
        let Self::File(path, _) = self else {
            return false;
        };
        let of_both = fs::canonicalize(path).and_then(|path| Ok((path, fs::canonicalize(file)?)));
        of_both.is_ok_and(|(path, file)| path == file)
    }

    /// True if the rows go to standard output while they are made.
    pub fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout(_))
    }

    /// Creates the table.
    pub fn create(&self, dialect: &Dialect) -> Result<Box<dyn Writer>, Error> {
        match self {
            Self::File(path, format) => format.create(Some(path), dialect),
            Self::Stdout(format) => format.create(None, dialect),
            Self::Preview => Ok(Box::new(Preview::default())),
        }
    }
}
