//! The output of the command for people, and its end.

pub mod error;
pub mod interrupt;
pub mod layout;
pub mod panics;
pub mod progress;
pub mod terminal;
