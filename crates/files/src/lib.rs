//! Files read with a limit, and files written whole or not at all.
//!
//! Whoever names a file to a program may be wrong, or hostile: a pipe that nobody writes
//! to, a device without an end, a sparse terabyte. So every file is read through
//! [`open`], [`read`] or [`read_secret`], which take regular files only, check the size
//! before they allocate, and name file, size and limit in their errors.
//!
//! Whoever reads an output must never take half of one for a whole. So every file is
//! written through [`Output`]: a temporary file beside the final one, which takes its
//! place when it is complete. A program that stops early calls [`abandon`], which removes
//! the temporary files that are left and says what became of the outputs.

mod input;
mod output;

pub use input::{Kind, ReadError, open, read, read_from, read_secret, read_secret_from};
pub use output::{Abandoned, Output, WriteError, abandon};
