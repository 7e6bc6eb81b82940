//! The secret keys of a table: what `klero batch prove` and `klero batch evaluate` are given.

use klero_arrow::SecretTable;

use super::files::Files;
use crate::error::Error;
use crate::input::{self, Source};
use crate::keyfile;

/// What the help of each command says about seeds.
pub const SEEDS: &str = "\
Seeds:
  The column seed is secret and is not written. A row that cannot be divided into columns
  may have its seed in any of them: only the verdict of such a row is written.

  A seed has one suite. If a column suite names the suites, about 120 bytes of memory are
  kept for each distinct seed to check this.";

/// The table, and the key of all its rows if they have no seeds.
#[derive(clap::Args)]
pub struct SecretFiles {
    #[command(flatten)]
    pub files: Files,
    /// Secret key for all rows: file, or - for standard input (text envelope, hex or bytes)
    #[arg(long, value_name = "FILE|-")]
    key: Option<String>,
    /// Use the key in --suite even if its file names another suite. Proving the same alpha in
    /// two suites can reveal the key
    #[arg(long, requires_all = ["key", "suite"])]
    dangerously_reuse_key: bool,
}

impl SecretFiles {
    /// The table, with the key of all rows or a seed in each.
    pub fn table(&self) -> Result<SecretTable, Error> {
        let source = self.key.as_deref().map(Source::from);
        input::one_stdin(&[
            ("FILE", matches!(self.files.source(), Source::Stdin)),
            ("--key", matches!(source, Some(Source::Stdin))),
        ])?;
        let Some(source) = source else {
            return Ok(SecretTable::with_seeds(self.files.suite));
        };
        if let Source::File(key) = &source
            && self.files.destination.is(key)
        {
            return Err(Error::at(
                "--out",
                "this is the file of the key, which would be lost: expected another file",
            ));
        }
        let key = keyfile::read_secret(&source, self.files.suite, self.dangerously_reuse_key)?;
        Ok(SecretTable::new(key))
    }
}
