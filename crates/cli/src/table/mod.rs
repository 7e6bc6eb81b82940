//! Tables of claims: three file formats, one form in memory.
//!
//! A [`Reader`](interface::Reader) divides a file into groups of consecutive [`Rows`](klero_arrow::Rows), a
//! [`Writer`](interface::Writer) writes groups to a file, and between the two every format is an Arrow record
//! batch, whose columns pass through unchanged. Types are never guessed: a CSV column is text, a
//! JSON field is its JSON text (of Arrow's extension type `arrow.json`), a Parquet column has
//! the type that the file says. Groups are small, so that memory does not grow with the file.
//!
//! To add a format, write a module with a `Reader` and a `Writer`, and make it known in
//! [`format`](self::format): a variant, its file names, and how it is opened and created.

mod blank;
mod budget;
mod bytes;
mod csv;
mod delta;
mod destination;
mod dialect;
mod fixed;
mod format;
mod interface;
mod json;
mod limits;
mod mend;
mod numbering;
mod pages;
mod parquet;
mod preview;
mod schema;
mod types;
mod verbatim;
mod views;

pub use bytes::Compression;
pub use destination::{Destination, Target};
pub use dialect::Dialect;
pub use format::Format;
pub use interface::{Reader, Writer};
pub use limits::{GROUP_ROWS, most_output};
