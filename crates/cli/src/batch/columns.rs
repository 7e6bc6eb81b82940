//! The options for the columns of a table and for the encoding of their text.

use klero_arrow::{Columns, Encoding, Options};

use crate::args::choice;
use crate::table::Dialect;
use crate::ui::error::Error;

/// The default name of a column, and a function that returns the field with the column's actual name.
type Role = (&'static str, fn(&mut Columns) -> &mut String);

const ROLES: [Role; 7] = [
    ("key", |columns| &mut columns.key),
    ("alpha", |columns| &mut columns.alpha),
    ("proof", |columns| &mut columns.proof),
    ("output", |columns| &mut columns.output),
    ("suite", |columns| &mut columns.suite),
    ("seed", |columns| &mut columns.seed),
    ("verdict", |columns| &mut columns.verdict),
];

/// The columns of a table, and the encoding of their text.
#[derive(clap::Args)]
pub struct Shape {
    /// The name that the table has for a column listed above, as in --column key=pk; can be repeated
    #[arg(long = "column", value_name = "COLUMN=NAME", value_parser = renamed)]
    renamed: Vec<(usize, String)>,
    /// Encoding of keys, alphas, proofs, outputs and seeds in columns of text, in both input and output
    #[arg(long, value_name = "ENCODING", default_value = "hex", value_parser = choice::encoding())]
    encoding: Encoding,
    /// Text in the column of alphas is alpha itself, in UTF-8, and not encoded bytes
    #[arg(long)]
    alpha_text: bool,
    /// Binary columns hold text such as hex, as in Parquet files written by Impala, Hive and old Spark
    #[arg(long)]
    binary_text: bool,
    /// The character between the fields of CSV, in both input and output: one character, or `tab`
    /// (default: a comma)
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<u8>,
}

impl Shape {
    /// The names of the columns, and the encoding of their values.
    pub fn options(&self) -> Result<Options, Error> {
        Ok(Options {
            columns: names(&self.renamed)?,
            encoding: self.encoding,
            plain_alphas: self.alpha_text,
            binary_text: self.binary_text,
        })
    }

    /// The options of the table formats. `read` has the default names of the columns that the command reads.
    pub fn dialect(&self, read: &[&str]) -> Result<Dialect, Error> {
        let mut columns = self.options()?.columns;
        let read = ROLES.iter().filter(|(role, _)| read.contains(role));
        Ok(Dialect {
            delimiter: self.delimiter.unwrap_or(b','),
            read: read.map(|(_, name)| name(&mut columns).clone()).collect(),
            alpha: columns.alpha,
            proof: columns.proof,
            output: columns.output,
            types: None,
        })
    }
}

/// Parses `COLUMN=NAME`. Returns the index of the column in `ROLES`, and the column's new name.
fn renamed(text: &str) -> Result<(usize, String), String> {
    let (column, name) = text
        .split_once('=')
        .ok_or("expected COLUMN=NAME, as in key=pk")?;
    if name.is_empty() {
        return Err("the name is empty".into());
    }
    match ROLES.iter().position(|(known, _)| *known == column) {
        Some(role) => Ok((role, name.to_owned())),
        None => {
            let known: Vec<_> = ROLES.iter().map(|(known, _)| *known).collect();
            Err(format!(
                "expected one of {} before =, and the name that the table has for it behind",
                known.join(", ")
            ))
        }
    }
}

/// Returns the names of the columns, with the given columns renamed.
fn names(renamed: &[(usize, String)]) -> Result<Columns, Error> {
    let mut names = Columns::default();
    for (index, (role, name)) in renamed.iter().enumerate() {
        let (column, place) = ROLES[*role];
        if renamed[..index].iter().any(|(other, _)| other == role) {
            let fault = "two names for one column: expected one";
            return Err(Error::at(format_args!("--column {column}=…"), fault));
        }
        place(&mut names).clone_from(name);
    }
    Ok(names)
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if matches!(text, "tab" | "\\t") => Ok(b'\t'),
        [byte]
            if *byte == b'\t' || byte.is_ascii_punctuation() && *byte != b'"' || *byte == b' ' =>
        {
            Ok(*byte)
        }
        _ => Err("expected one character, such as ; or |, or tab".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_is_one_character_that_no_value_has() {
        for (text, byte) in [
            (";", b';'),
            ("|", b'|'),
            ("tab", b'\t'),
            ("\\t", b'\t'),
            ("\t", b'\t'),
        ] {
            assert_eq!(delimiter(text), Ok(byte));
        }
        for text in ["", ";;", "\"", "\n", "\r", "a", "0", "é", "\0"] {
            assert!(delimiter(text).is_err(), "{text:?}");
        }
    }
}
