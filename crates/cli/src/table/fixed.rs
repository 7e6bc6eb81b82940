//! Fixed columns, for formats that need them.
//!
//! A CSV or Parquet file has the same columns in all rows, but JSON lines, which may be the input, can have
//! other fields in each line. So a CSV or Parquet table has the columns of its first group. A column that is
//! missing in a later group is left empty there. A new column in a later group is an error.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray, new_null_array};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use klero_arrow::shortened;

use super::json::is_json_line;
use crate::ui::error::Error;

/// Gives every batch the columns of the first batch.
pub struct FixedColumns {
    file: String,
    schema: Option<SchemaRef>,
}

impl FixedColumns {
    /// Starts a file with this name. The columns are fixed by the first batch.
    pub fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            schema: None,
        }
    }

    /// Gives `batch` the columns of the first batch. JSON texts from JSON lines become plain text.
    pub fn fit(&mut self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let failed = |error| Error::at(format_args!("cannot write {}", self.file), error);
        let batch = plain(batch).map_err(failed)?;
        let given = batch.schema();
        let schema = self.schema.get_or_insert_with(|| given.clone());
        let unknown = given
            .fields()
            .iter()
            .find(|field| schema.field_with_name(field.name()).is_err());
        if let Some(field) = unknown {
            return Err(Error::at(
                format_args!("cannot write {}", self.file),
                format_args!(
                    "column {:?} is not among those of the first rows, which this format names \
                     once: expected an --out file of JSON lines (.jsonl)",
                    shortened(field.name())
                ),
            ));
        }
        let columns = schema
            .fields()
            .iter()
            .map(|field| match batch.column_by_name(field.name()) {
                None => new_null_array(field.data_type(), batch.num_rows()),
                Some(column) => column.clone(),
            })
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(failed)
    }
}

/// Returns a copy of the batch in which each column of JSON texts, as read from JSON lines, is plain text.
pub fn plain(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| match is_json_line(field) {
        true => plain_texts(column),
        false => column.clone(),
    });
    let columns = columns.collect();
    let fields: Vec<_> = schema.fields().iter().map(plain_field).collect();
    let schema = Arc::new(Schema::new(fields).with_metadata(schema.metadata().clone()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema, columns, &options)
}

fn plain_field(field: &FieldRef) -> FieldRef {
    if is_json_line(field) {
        Arc::new(Field::new(field.name(), DataType::Utf8, true))
    } else {
        field.clone()
    }
}

/// The plain text of a column for which `is_json_line` holds.
fn plain_texts(column: &ArrayRef) -> ArrayRef {
    let texts = column.as_string::<i32>().iter();
    Arc::new(
        texts
            .map(|text| text.and_then(text_of))
            .collect::<StringArray>(),
    )
}

/// Converts a JSON text to plain text. A string becomes its content, and a null becomes `None`. Any other
/// JSON text stays as it is.
fn text_of(json: &str) -> Option<Cow<'_, str>> {
    match json {
        "null" => None,
        string if string.starts_with('"') => {
            Some(serde_json::from_str(string).map_or(Cow::Borrowed(string), Cow::Owned))
        }
        other => Some(Cow::Borrowed(other)),
    }
}
