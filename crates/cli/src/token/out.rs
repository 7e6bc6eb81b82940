//! Where commands write what they make: standard output, or a file that is not replaced unasked.

use std::io::Write;
use std::path::PathBuf;

use klero_support::{Options, Output};
use klero_token::{Error as Fault, Token};

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
    /// Writes a token.
    pub fn token<T>(&self, token: &Token<T>) -> Result<(), Error> {
        let text = token.to_text();
        self.write(&text.map_err(|fault| Error::at(TOKEN, fault))?, true)
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

const TOKEN: &str = "cannot make the token";

/// Why a token was not made: one that exceeds the limits could not be read again.
pub fn not_made(doing: &str, fault: &Fault) -> Error {
    let doing = match fault {
        Fault::TooLong { .. } | Fault::TooManySignatures { .. } | Fault::TooManyCaveats { .. } => {
            TOKEN
        }
        _ => doing,
    };
    Error::at(doing, describe(fault))
}
