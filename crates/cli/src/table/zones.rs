//! Converts times to UTC for output as text, whatever the zone of their column is.
//!
//! Local times are not printed: the command would need a list of all zones, and a Parquet file may even name
//! a zone that does not exist.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};

use super::views::with_leaves;

/// Returns the batch with the same instants in UTC.
pub fn in_utc(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let fields = schema.fields().iter();
    let fields: Vec<_> = fields.map(|field| with_leaves(field, utc)).collect();
    let columns = batch.columns().iter().zip(&fields);
    let columns = columns.map(|(column, field)| cast(column, field.data_type()));
    let columns = columns.collect::<Result<_, _>>()?;
    let schema = Arc::new(Schema::new(fields).with_metadata(schema.metadata().clone()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema, columns, &options)
}

fn utc(leaf: &DataType) -> DataType {
    match leaf {
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some("+00:00".into())),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(utc(values)))
        }
        DataType::ListView(field) => DataType::ListView(with_leaves(field, utc)),
        DataType::LargeListView(field) => DataType::LargeListView(with_leaves(field, utc)),
        // A run-end encoded column of times is decoded, because there is no cast to another such type.
        DataType::RunEndEncoded(_, field) if with_leaves(field, utc) != *field => {
            with_leaves(field, utc).data_type().clone()
        }
        other => other.clone(),
    }
}
