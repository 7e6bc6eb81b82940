#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

// Reading order: first `rows` and `verify`, then `cells`, `columns` and `encoding`, then `new_columns`.
// Proving is in `secret` and `keys`.
mod cells;
mod columns;
mod encoding;
mod error;
mod keys;
mod new_columns;
mod rows;
mod secret;
mod suites;
mod verify;

pub use columns::{Columns, Options};
pub use encoding::{Encoding, is_json};
pub use error::{TableError, shortened};
pub use rows::{Fault, InvalidRow, MAX_ROWS, Outcome, Rows};
pub use secret::SecretTable;
pub use verify::VerifyTable;
