#![doc = include_str!("../README.md")]

mod cells;
mod columns;
mod encoding;
mod error;
mod evaluate;
mod keys;
mod new_columns;
mod prove;
mod rows;
mod suites;
mod verify;

pub use columns::Columns;
pub use encoding::is_json;
pub use error::{TableError, shortened};
pub use evaluate::EvaluateTable;
pub use prove::ProveTable;
pub use rows::{InvalidRow, MAX_ROWS, Outcome, Rows};
pub use verify::VerifyTable;
