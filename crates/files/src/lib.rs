#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

mod abandon;
mod input;
mod left;
mod output;
mod target;

pub use abandon::{Abandoned, abandon};
pub use input::{Kind, ReadError, open, read, read_from, read_secret, read_secret_from, read_text};
pub use output::{Options, Output, WriteError};
