//! The end of a command: a status, or an error.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use klero_support::{ReadError, WriteError};

/// The result of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything is valid: exit status 0.
    AllValid,
    /// Something is invalid: exit status 1.
    SomeInvalid,
    /// Nothing is invalid, but something could not be read: exit status 2.
    NotAllRead,
    /// Nothing is invalid, but not everything was checked: exit status 3.
    NotAllChecked,
    /// Stopped by Ctrl-C or SIGTERM: exit status 130, as is usual in shells.
    Interrupted,
}

/// The exit statuses of all commands, for help texts.
pub const EXIT_STATUS: &str = "\
Exit status:
  0  everything was valid
  1  something was invalid
  2  something could not be read or written, or the command line is wrong; or
     blocks are of an era that this version does not know (chain)
  3  nothing was invalid, but not everything could be checked (chain)
  130  interrupted by Ctrl-C or SIGTERM";

/// The exit status after Ctrl-C or SIGTERM.
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

/// The reason why a command stopped. The exit status is 1 for an invalid input, and 2 for all other reasons.
#[derive(Debug)]
pub enum Error {
    /// The reason why the command's input is invalid: exit status 1.
    Invalid(String),
    /// Any other fault, with its place and what was expected: exit status 2. Printed after `klero: `.
    Message(String),
    /// The reader of a pipe, such as standard output, has closed it. Nothing is printed.
    ClosedPipe,
}

impl Error {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Message(message.into())
    }

    /// The error `WHAT: FAULT`. `what` is the place of the fault, or the action that failed.
    pub fn at(what: impl Display, fault: impl Display) -> Self {
        Self::Message(format!("{what}: {fault}"))
    }

    /// The error for a file that was not written. If the file exists, the message also names `--force`.
    pub fn not_written(error: WriteError) -> Self {
        match error {
            WriteError::Exists(_) => Self::new(format!("{error} (--force replaces it)")),
            error => error.into(),
        }
    }

    /// The error for a failed write to `place`.
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
            WriteError::Io(name, error) => Self::write(name, &error),
            other => Self::new(other.to_string()),
        }
    }
}
