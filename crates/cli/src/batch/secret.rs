//! The secret keys of a table: an input of `klero batch prove` and `klero batch evaluate`.

use klero_arrow::{Outcome, Rows, SecretTable, TableError};

use super::files::Files;
use super::tables::{Table, tables};
use super::work::Work;
use crate::args::keyfile;
use crate::args::source::{self, Source};
use crate::ui::error::{Error, Status};

/// The part about seeds in the help for each command.
pub const SEEDS: &str = "\
Seeds:
  The column seed is secret and is not written. A row that cannot be divided into columns
  may have its seed in any of them: only the verdict of such a row is written.

  A seed has one suite. If a column suite names the suites, about 120 bytes of memory are
  kept for each distinct seed to check this.";

/// The tables, and the key for all their rows. Without this key, each row has a seed.
#[derive(clap::Args)]
pub struct SecretFiles {
    #[command(flatten)]
    pub files: Files,
    /// Secret key for all rows: file, or - for standard input, in any form that `klero prove` reads
    #[arg(long, value_name = "FILE|-")]
    key: Option<String>,
    /// Use the key in the suite that --suite names, even if the key's file names another suite. Proving the
    /// same alpha in two suites can reveal the key
    #[arg(long, requires_all = ["key", "suite"])]
    dangerously_reuse_key: bool,
}

impl SecretFiles {
    /// Proves or evaluates all rows of the tables.
    pub fn process(
        &self,
        answer: fn(&SecretTable, Rows) -> Result<Outcome, TableError>,
    ) -> Result<Status, Error> {
        let tables = tables(&self.files)?;
        let options = self.files.shape.options()?;
        let work = Work {
            table: self.table(&tables)?.options(options),
            read: &["alpha", "seed", "suite"],
            check: SecretTable::check,
            answer,
        };
        self.files.process(&tables, work)
    }

    /// Returns the [`SecretTable`]. It uses the key of `--key` for all rows, or else each row's seed.
    fn table(&self, tables: &[Table]) -> Result<SecretTable, Error> {
        let source = self.key.as_deref().map(Source::from);
        let table_is_stdin = tables
            .iter()
            .any(|table| matches!(table.source, Source::Stdin));
        source::one_stdin(&[
            ("FILE", table_is_stdin),
            ("--key", matches!(source, Some(Source::Stdin))),
        ])?;
        let Some(source) = source else {
            return self.with_seeds(tables);
        };
        if let Source::File(key) = &source
            && tables.iter().any(|table| table.target.is(key))
        {
            return Err(Error::at(
                match self.files.out_dir {
                    Some(_) => "--out-dir",
                    None => "--out",
                },
                "this is the file of the key, which would be lost: expected another file",
            ));
        }
        let key = keyfile::read_secret(&source, self.files.suite, self.dangerously_reuse_key)?;
        Ok(SecretTable::new(key))
    }

    /// Returns a [`SecretTable`] that reads a seed from each row. Without `--suite`, it checks that no seed
    /// is used in two suites. This check needs row numbers, which are unique only within one table. So
    /// several tables need `--suite`.
    fn with_seeds(&self, tables: &[Table]) -> Result<SecretTable, Error> {
        if self.files.suite.is_none() && tables.len() > 1 {
            return Err(Error::new(
                "seeds in several tables: expected --suite, because a seed must not come in two \
                 suites",
            ));
        }
        Ok(SecretTable::with_seeds(self.files.suite))
    }
}
