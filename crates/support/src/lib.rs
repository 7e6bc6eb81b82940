#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

// Reading order: `output`, `temporary`, `left` (the files of killed processes), `input`, `ordered`.
mod input;
mod left;
mod ordered;
mod output;
mod temporary;

pub use input::{
    ReadError, open, open_or_pipe, open_within, read, read_from, read_secret, read_secret_from,
    read_text,
};
pub use ordered::{Queue, ordered, width};
pub use output::{Options, Output, WriteError};
pub use temporary::abandon;
