//! Tables for the tests.
#![allow(dead_code)] // not every test file uses all of it

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};
use klero_arrow::Rows;

/// A table of binary columns.
pub fn table(columns: &[(&str, Vec<&[u8]>)]) -> RecordBatch {
    let columns = columns.iter().map(|(name, values)| {
        let array: ArrayRef = Arc::new(BinaryArray::from_vec(values.clone()));
        (*name, array)
    });
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The texts of a column, nulls as empty ones.
pub fn texts(batch: &RecordBatch, name: &str) -> Vec<String> {
    let texts = batch[name].as_string::<i32>().iter();
    texts.map(|text| text.unwrap_or_default().into()).collect()
}

/// A batch as the rows from this number on.
pub fn rows_from(first_row: u64, batch: RecordBatch) -> Rows {
    Rows {
        first_row,
        ..Rows::from(batch)
    }
}

/// Whether any buffer of the batch contains the seed, as bytes or as hex.
pub fn contains(batch: &RecordBatch, seed: &[u8; 32]) -> bool {
    let digits = hex::encode(seed);
    batch.columns().iter().any(|column| {
        let data = column.to_data();
        data.buffers().iter().any(|buffer| {
            let has = |text: &[u8]| buffer.windows(text.len()).any(|window| window == text);
            has(seed) || has(digits.as_bytes())
        })
    })
}
