//! Standard output.

use std::fmt::Display;
use std::io::{self, Write};

use crate::error::Error;

/// Prints on standard output and flushes it.
pub fn print(text: impl Display) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| Error::write("standard output", &error))
}
