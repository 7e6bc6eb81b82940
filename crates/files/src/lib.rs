//! Files read with a limit, and files written whole or not at all.
//!
//! A path that somebody names to a program may be wrong, or hostile: a pipe that nobody writes
//! to, a device without an end, a sparse terabyte. So every file is read through [`open`],
//! [`read`] or [`read_secret`]. They take regular files only, check the size before they
//! allocate, and name file, size and limit in their errors.
//!
//! A reader of an output must never take half of it for the whole. So every file is written
//! through [`Output`]: a temporary file in the same directory, renamed when it is complete. A
//! program that stops early calls [`abandon`], which removes the temporary files that are left
//! and says what became of the outputs.

mod abandon;
mod input;
mod output;
mod target;

pub use abandon::{Abandoned, abandon};
pub use input::{Kind, ReadError, open, read, read_from, read_secret, read_secret_from};
pub use output::{Output, WriteError};
