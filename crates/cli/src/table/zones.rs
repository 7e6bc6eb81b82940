//! Times as text, in UTC, whatever the zone of the column is.
//!
//! A Parquet file may name any zone, even an unknown one, and local times in known zones would need a list of
//! zones.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};

use super::views::with_leaves;

/// The batch with the same instants in UTC.
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
        // A column of runs is decoded: there is no cast to other runs.
        DataType::RunEndEncoded(_, field) if with_leaves(field, utc) != *field => {
            with_leaves(field, utc).data_type().clone()
        }
        other => other.clone(),
    }
}
