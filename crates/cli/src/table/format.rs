//! The table formats, their file names, and the functions that open and create tables.

use std::fmt;
use std::path::Path;

use klero_support::Output;

use super::bytes::{Compression, Sink};
use super::interface::{Dialect, Reader, Writer};
use super::{csv, json, parquet, verbatim};
use crate::args::choice::Choice;
use crate::args::source::Source;
use crate::ui::error::Error;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header line.
    Csv(Compression),
    /// One JSON object per line.
    Jsonl(Compression),
    /// Apache Parquet, which compresses its own columns.
    Parquet,
}

/// Each format with an end of its file names, which is also a name of the format on the command line.
const FORMATS: [(&str, Format); 10] = [
    ("csv", Format::Csv(Compression::None)),
    ("csv.gz", Format::Csv(Compression::Gzip)),
    ("csv.zst", Format::Csv(Compression::Zstd)),
    ("jsonl", Format::Jsonl(Compression::None)),
    ("jsonl.gz", Format::Jsonl(Compression::Gzip)),
    ("jsonl.zst", Format::Jsonl(Compression::Zstd)),
    ("ndjson", Format::Jsonl(Compression::None)),
    ("ndjson.gz", Format::Jsonl(Compression::Gzip)),
    ("ndjson.zst", Format::Jsonl(Compression::Zstd)),
    ("parquet", Format::Parquet),
];

impl Format {
    /// Opens a table for reading.
    pub fn open(self, source: &Source, dialect: &Dialect) -> Result<Box<dyn Reader>, Error> {
        Ok(match self {
            Self::Csv(compression) => Box::new(csv::Reader::open(source, compression, dialect)?),
            Self::Jsonl(compression) => Box::new(json::Reader::open(source, compression, dialect)?),
            Self::Parquet => Box::new(parquet::Reader::open(source)?),
        })
    }

    /// Creates a table. Without a path, it goes to standard output. Parquet is not text, so it needs a path.
    pub fn create(self, path: Option<&Path>, dialect: &Dialect) -> Result<Box<dyn Writer>, Error> {
        if path.is_none() && self == Self::Parquet {
            return Err(Error::new(
                "cannot write Parquet to standard output: expected --out FILE or --out-format",
            ));
        }
        let output = path.map_or_else(|| Ok(Output::stdout()), Output::create)?;
        self.over(output, dialect)
    }

    /// Creates a table that is written to `output`.
    pub fn over(self, output: Output, dialect: &Dialect) -> Result<Box<dyn Writer>, Error> {
        Ok(match self {
            Self::Csv(compression) => {
                let sink = Sink::new(output, compression)?;
                Box::new(csv::Writer::new(sink, dialect.delimiter))
            }
            Self::Jsonl(compression) => {
                Box::new(verbatim::Writer::new(Sink::new(output, compression)?))
            }
            Self::Parquet => Box::new(parquet::Writer::new(output, dialect)),
        })
    }

    /// Returns the format that the end of a file's name determines, if any.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let ends = |end: &str| {
            name.strip_suffix(end)
                .is_some_and(|stem| stem.ends_with('.'))
        };
        FORMATS
            .into_iter()
            .find_map(|(end, format)| ends(end).then_some(format))
    }

    /// Returns the format of a table to be written. Fails if the name of the file does not determine it.
    pub fn of_output(path: &Path) -> Result<Self, Error> {
        Self::of(path).ok_or_else(|| {
            Error::new(format!(
                "cannot write {}: unknown format: expected a name that ends in {}",
                path.display(),
                Self::expected()
            ))
        })
    }

    /// The format without compression.
    #[must_use]
    pub fn uncompressed(self) -> Self {
        match self {
            Self::Csv(_) => Self::Csv(Compression::None),
            Self::Jsonl(_) => Self::Jsonl(Compression::None),
            Self::Parquet => Self::Parquet,
        }
    }

    /// True if the format has a delimiter between fields.
    pub fn is_csv(self) -> bool {
        matches!(self, Self::Csv(_))
    }

    /// The name of a file without the end that determines its format.
    pub fn stem(name: &str) -> &str {
        let lower = name.to_ascii_lowercase();
        let ends = FORMATS.iter().filter_map(|(end, _)| {
            let stem = lower.strip_suffix(end)?.strip_suffix('.')?;
            name.get(..stem.len())
        });
        ends.min_by_key(|stem| stem.len()).unwrap_or(name)
    }

    /// The formats that can be chosen on the command line.
    pub fn choice() -> Choice<Self> {
        Choice {
            names: FORMATS.map(|(name, _)| name).into(),
            read: |name| {
                let known = FORMATS.into_iter().find(|(end, _)| *end == name);
                known.map(|(_, format)| format)
            },
        }
    }

    /// The ends of file names that determine a format, for messages.
    pub fn expected() -> String {
        let ends: Vec<_> = FORMATS.iter().map(|(end, _)| format!(".{end}")).collect();
        ends.join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = FORMATS.iter().find(|(_, format)| format == self);
        f.write_str(name.map_or("", |(end, _)| end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_end_of_a_name_says_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/b.CSV"), Some(Format::Csv(Compression::None)));
        assert_eq!(of("b.csv.gz"), Some(Format::Csv(Compression::Gzip)));
        assert_eq!(of("b.c.ndjson.zst"), Some(Format::Jsonl(Compression::Zstd)));
        assert_eq!(of("b.parquet"), Some(Format::Parquet));
        for name in [
            "csv",
            ".gz",
            "b.gz",
            "b.tsv",
            "b.parquet.gz",
            "b.csv.gz.bak",
            "x.csvgz",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
        let Err(Error::Message(fault)) = Format::of_output(Path::new("b.tsv")) else {
            panic!("b.tsv is a table");
        };
        let expected = "cannot write b.tsv: unknown format: expected a name that ends in .csv, ";
        assert!(fault.starts_with(expected), "{fault}");
        for (name, stem) in [
            ("b.CSV", "b"),
            ("b.c.csv.gz", "b.c"),
            ("csv", "csv"),
            ("é", "é"),
        ] {
            assert_eq!(Format::stem(name), stem);
        }
        for (end, format) in FORMATS {
            assert_eq!((Format::choice().read)(end), Some(format));
            assert_eq!(of(&format!("x.{format}")), Some(format));
        }
    }
}
