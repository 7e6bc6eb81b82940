//! The formats of tables, and the names of files that announce them.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header line.
    Csv(Compression),
    /// One JSON object a line.
    Jsonl(Compression),
    /// Apache Parquet, which compresses its own columns.
    Parquet,
}

/// How the bytes of a text table are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip (RFC 1952).
    Gzip,
    /// Zstandard (RFC 8878).
    Zstd,
}

/// Every format by the end of its files' names, which is also its name on the command line.
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
    /// The format that the name of a file announces.
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

    /// The same format without compression.
    pub fn uncompressed(self) -> Self {
        match self {
            Self::Csv(_) => Self::Csv(Compression::None),
            Self::Jsonl(_) => Self::Jsonl(Compression::None),
            Self::Parquet => Self::Parquet,
        }
    }

    /// What a name may end in, for messages.
    pub fn expected() -> String {
        let ends: Vec<_> = FORMATS.iter().map(|(end, _)| format!(".{end}")).collect();
        ends.join(", ")
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = FORMATS.into_iter().find(|(end, _)| *end == name);
        known.map(|(_, format)| format).ok_or_else(|| {
            let names: Vec<_> = FORMATS.iter().map(|(end, _)| *end).collect();
            format!("expected one of {}", names.join(", "))
        })
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
    fn a_name_announces_a_format_by_all_of_its_end() {
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
        for (end, format) in FORMATS {
            assert_eq!(end.parse(), Ok(format));
            assert_eq!(of(&format!("x.{format}")), Some(format));
        }
    }
}
