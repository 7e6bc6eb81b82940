//! Tables of claims, in three file formats and one form in memory.
//!
//! A [`Reader`](interface::Reader) divides a file into groups of consecutive [`Rows`](klero_arrow::Rows),
//! and a [`Writer`](interface::Writer) writes groups to a file. In memory, the rows of every format are
//! Arrow record batches, whose columns pass through unchanged. Types are never guessed. A CSV column is
//! text, a JSON field is its JSON text (of Arrow's extension type `arrow.json`), and a Parquet column has
//! the type that the file declares. Groups are small, so that memory does not grow with the file.
//!
//! To add a format, write a module with a `Reader` and a `Writer`. In [`format`](mod@format), add a variant
//! with its file names, and extend the functions that match on the format. Then add the format to the help of
//! `batch`, and to the recorded session `tests/golden/every_format_holds_the_same_table.md`.

mod blank;
mod budget;
mod bytes;
mod csv;
mod delta;
mod destination;
mod fixed;
mod format;
mod interface;
mod json;
mod limits;
mod mend;
mod pages;
mod parquet;
mod preview;
mod types;
mod verbatim;
mod views;
mod zones;

pub use bytes::Compression;
pub use destination::{Destination, Target};
pub use format::Format;
pub use interface::{Dialect, Reader, Writer};
pub use limits::{GROUP_ROWS, most_output};
