//! Tables of claims: three file formats, one form in memory.
//!
//! A [`Reader`](interface::Reader) divides a file into groups of consecutive [`Rows`](klero_arrow::Rows), a
//! [`Writer`](interface::Writer) writes groups to a file, and between the two the rows of every format are
//! Arrow record batches, whose columns pass through unchanged. Types are never guessed: a CSV column is text,
//! a JSON field is its JSON text (of Arrow's extension type `arrow.json`), a Parquet column has the type that
//! the file says. Groups are small, so that memory does not grow with the file.
//!
//! To add a format, write a module with a `Reader` and a `Writer`, and make it known in
//! [`format`](mod@format): a variant, its file names, how it is opened and created, and whether its fields
//! have a delimiter. The help of `batch` names it, and a golden session sends one table through all formats.

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
