//! Tables for the tests.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use klero_arrow::Rows;

/// A table of binary columns.
pub fn table(columns: &[(&str, Vec<&[u8]>)]) -> RecordBatch {
    let columns = columns.iter().map(|(name, values)| {
        let array: ArrayRef = Arc::new(BinaryArray::from_vec(values.clone()));
        (*name, array)
    });
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The texts of a column; nulls become empty texts.
pub fn texts(batch: &RecordBatch, name: &str) -> Vec<String> {
    let texts = batch[name].as_string::<i32>().iter();
    texts.map(|text| text.unwrap_or_default().into()).collect()
}

/// The rows of a batch, numbered from `first_row` on.
pub fn rows_from(first_row: u64, batch: RecordBatch) -> Rows {
    Rows {
        first_row,
        ..Rows::from(batch)
    }
}
