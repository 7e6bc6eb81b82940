//! How a command ends: with a status, or with an error that stops it.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use klero_files::{ReadError, WriteError};

/// What a command that ran to its end found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything it looked at is valid: exit status 0.
    AllValid,
    /// Something is invalid: exit status 1.
    SomeInvalid,
    /// Nothing is invalid, but something could not be read: exit status 2.
    NotAllRead,
    /// Nothing is invalid, but not everything was checked: exit status 3.
    NotAllChecked,
    /// Stopped by Ctrl-C or SIGTERM: exit status 130, as shells have it.
    Interrupted,
}

/// The exit statuses of all commands, for help texts.
pub const EXIT_STATUS: &str = "\
Exit status:
  0  everything was valid
  1  something was invalid
  2  something could not be read or written, or the command line is wrong; or blocks are of
     an era that this version does not know (chain)
  3  nothing was invalid, but not everything could be checked (chain)
  130  interrupted by Ctrl-C or SIGTERM";

/// Exit status of a command that a signal stopped.
pub const INTERRUPTED: u8 = 130;

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::AllValid => Self::SUCCESS,
            Status::SomeInvalid => Self::from(1),
            Status::NotAllRead => Self::from(2),
            Status::NotAllChecked => Self::from(3),
            Status::Interrupted => Self::from(INTERRUPTED),
        }
    }
}

/// What stops a command: exit status 2, or 1 where it is a verdict.
#[derive(Debug)]
pub enum Error {
    /// What the command was to build on is invalid, and why: exit status 1.
    Invalid(String),
    /// What is wrong, where, and what was expected; shown after `klero: `.
    Message(String),
    /// Whoever read our output has gone. There is nobody to tell.
    ClosedPipe,
}

impl Error {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Message(message.into())
    }

    /// `what` (a place or a failed action) and the fault found there.
    pub fn at(what: impl Display, fault: impl Display) -> Self {
        Self::Message(format!("{what}: {fault}"))
    }

    /// A failed write to `place`.
    pub fn write(place: impl Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::at(format_args!("cannot write {place}"), error)
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::new(format!("cannot read {error}"))
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io { name, error } => Self::write(name, &error),
            other => Self::new(other.to_string()),
        }
    }
}

/// Prints a line on standard error. If even that fails there is nobody to tell.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
