//! Output for people, and the ways in which a command can end: statuses, errors, signals and panics.

pub mod error;
pub mod interrupt;
pub mod layout;
pub mod panics;
pub mod progress;
pub mod terminal;
