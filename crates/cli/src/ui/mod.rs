//! What people see of the command, and how it ends.

pub mod error;
pub mod interrupt;
pub mod layout;
pub mod panics;
pub mod progress;
pub mod terminal;
