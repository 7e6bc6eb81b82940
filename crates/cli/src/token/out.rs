//! Where commands write what they make: standard output, or a file that is not replaced unasked.

use std::io::Write;
use std::path::PathBuf;

use klero_files::{Options, Output};
use klero_token::{Error as Fault, Limits, Scheme, Unverified};

use super::text::describe;
use crate::error::Error;
use crate::stdout::print;

/// The file for what a command makes.
#[derive(clap::Args)]
pub struct OutArgs {
    /// File to write to instead of standard output; a token's is readable by its owner alone
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "out")]
    force: bool,
}

impl OutArgs {
    /// Writes a token. One that exceeds the limits is an error: it could not be read again.
    pub fn token<S: Scheme>(&self, token: &Unverified<S>, limits: &Limits) -> Result<(), Error> {
        let cannot = |fault: Fault| Error::at("cannot make the token", describe(&fault));
        let text = token.to_text().map_err(cannot)?;
        Unverified::<S>::from_text(&text, limits).map_err(cannot)?;
        self.write(&text, true)
    }

    /// Writes a line that anyone may read.
    pub fn public(&self, line: &str) -> Result<(), Error> {
        self.write(line, false)
    }

    fn write(&self, line: &str, secret: bool) -> Result<(), Error> {
        let Some(path) = &self.out else {
            return print(format_args!("{line}\n"));
        };
        let replace = self.force;
        let file = Output::create_with(path, Options { secret, replace });
        let mut file = file.map_err(Error::not_written)?;
        writeln!(file, "{line}").map_err(|error| Error::write(file.name(), &error))?;
        file.commit().map_err(Error::not_written)
    }
}
