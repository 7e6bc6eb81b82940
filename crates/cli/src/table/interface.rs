//! What a table format supplies.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use klero_arrow::Rows;
use parquet::schema::types::SchemaDescPtr;

use crate::ui::error::Error;

/// Reads a table group by group.
pub trait Reader {
    /// The columns, if all rows have the same. In JSON lines each row has its own.
    fn columns(&self) -> Option<&Schema>;

    /// The next group. There is a first one even in an empty table, which shows its columns.
    fn next_group(&mut self) -> Result<Option<Rows>, Error>;

    /// How much of the table has been read, and how much there is, if known. In bytes or
    /// rows, as the format can tell.
    fn progress(&self) -> (u64, Option<u64>);

    /// The types of the columns, if the table is Parquet.
    fn types(&self) -> Option<SchemaDescPtr> {
        None
    }

    /// How many rows have had a value, in a column that is not read, that was replaced: text that is
    /// not UTF-8, or in JSON a number that it does not have.
    fn replaced(&self) -> u64 {
        0
    }

    /// The bytes of the file; of a pipe, those read so far.
    fn size(&self) -> u64;
}

/// Writes a table group by group.
pub trait Writer {
    /// Writes some rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error>;

    /// The bytes of the file so far. Some rows may not be among them yet.
    fn written(&self) -> u64;

    /// Completes the file; without it no file appears.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}
