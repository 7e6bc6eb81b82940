//! Makes new columns and puts them into a batch.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, RecordBatch, RecordBatchOptions, StringArray,
    UInt64Array,
};
use arrow_cast::{CastOptions, cast, cast_with_options};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use arrow_select::take::take;
use arrow_select::zip::zip;

use crate::columns::Options;
use crate::encoding::{Form, Holder, value_type};

/// Makes a column of byte strings, as bytes or as text.
pub(crate) fn column<B: AsRef<[u8]>>(
    name: &str,
    form: Form,
    values: impl Iterator<Item = Option<B>>,
) -> (Field, ArrayRef) {
    match form.holder {
        Holder::Binary => {
            let array: BinaryArray = values.collect();
            (Field::new(name, DataType::Binary, true), Arc::new(array))
        }
        Holder::Text | Holder::Json => {
            let texts = values.map(|value| value.map(|bytes| form.encoding.encode(bytes)));
            let array: StringArray = texts.collect();
            (Field::new(name, DataType::Utf8, true), Arc::new(array))
        }
    }
}

/// Replaces the values of a column with the `computed` values. A row without a computed value keeps its old
/// value.
pub(crate) fn fill<B: AsRef<[u8]>>(
    field: &Field,
    array: &ArrayRef,
    computed: &[Option<B>],
    options: &Options,
) -> Result<(Field, ArrayRef), ArrowError> {
    let data_type = match value_type(field.data_type()) {
        DataType::Null => &DataType::Utf8,
        other => other,
    };
    let new_field =
        Field::new(field.name(), data_type.clone(), true).with_metadata(field.metadata().clone());
    let old = cast(array, data_type)?;
    if computed.iter().all(Option::is_none) {
        return Ok((new_field, old));
    }
    let form = options.form_like(Some(field));
    let new: ArrayRef = match form.holder {
        Holder::Json => {
            let quoted = |value: &B| format!("\"{}\"", form.encoding.encode(value));
            Arc::new(
                computed
                    .iter()
                    .map(|v| v.as_ref().map(quoted))
                    .collect::<StringArray>(),
            )
        }
        _ => {
            let values = computed.iter().map(Option::as_ref);
            column(field.name(), form, values).1
        }
    };
    let replaced: BooleanArray = computed.iter().map(|value| Some(value.is_some())).collect();
    let new = match data_type {
        // Arrow casts only binary columns to this type. `safe: false` makes a wrong size an error.
        DataType::FixedSizeBinary(_) => {
            let options = CastOptions {
                safe: false,
                ..CastOptions::default()
            };
            cast_with_options(&cast(&new, &DataType::Binary)?, data_type, &options)?
        }
        _ => cast(&new, data_type)?,
    };
    check_fits(slice_size(&new)? + slice_size(&old)?, data_type)?;
    Ok((new_field, zip(&replaced, &new, &old)?))
}

/// Refuses more bytes than a column of this type can hold. Without this check, Arrow's builders would panic
/// when 32-bit offsets overflow.
fn check_fits(bytes: usize, data_type: &DataType) -> Result<(), ArrowError> {
    let is_short = matches!(data_type, DataType::Utf8 | DataType::Binary);
    if is_short && i32::try_from(bytes).is_err() {
        return Err(ArrowError::OffsetOverflowError(bytes));
    }
    Ok(())
}

/// The size in bytes of an array's values and offsets, without the unused parts of its buffers.
fn slice_size(array: &ArrayRef) -> Result<usize, ArrowError> {
    array.to_data().get_slice_memory_size()
}

/// Returns the batch with the `new` columns. A new column replaces the column of the same name, or is
/// appended. The column named by `removed` is left out.
pub(crate) fn with_columns(
    batch: &RecordBatch,
    new: Vec<(Field, ArrayRef)>,
    removed: Option<&str>,
) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let mut columns: Vec<(FieldRef, ArrayRef)> = schema
        .fields()
        .iter()
        .cloned()
        .zip(batch.columns().iter().cloned())
        .filter(|(field, _)| Some(field.name().as_str()) != removed)
        .collect();
    for (field, array) in new {
        match columns
            .iter_mut()
            .find(|(old, _)| old.name() == field.name())
        {
            Some(column) => *column = (Arc::new(field), array),
            None => columns.push((Arc::new(field), array)),
        }
    }
    let (fields, arrays): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let schema = Schema::new(fields).with_metadata(schema.metadata().clone());
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options)
}

/// Returns the batch with nulls in the given rows. Texts and bytes are copied without the old values of these
/// rows, which may be secret. Only dictionaries and view types still share a buffer with these values.
pub(crate) fn blank<'r>(
    batch: &RecordBatch,
    rows: impl Iterator<Item = &'r usize>,
) -> Result<RecordBatch, ArrowError> {
    let mut kept: Vec<_> = (0..batch.num_rows() as u64).map(Some).collect();
    for &row in rows {
        if let Some(row) = kept.get_mut(row) {
            *row = None;
        }
    }
    let kept = UInt64Array::from(kept);
    let columns = batch.columns().iter();
    let columns = columns
        .map(|column| take(column, &kept, None))
        .collect::<Result<_, _>>()?;
    let schema = batch.schema();
    let fields = schema.fields().iter().cloned().map(nullable);
    let schema = Schema::new(fields.collect::<Vec<_>>()).with_metadata(schema.metadata().clone());
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
}

fn nullable(field: FieldRef) -> FieldRef {
    Arc::new(Field::clone(&field).with_nullable(true))
}

/// The beginning of the verdict on an invalid row.
const INVALID: &str = "invalid: ";

/// Makes the column of verdicts. A verdict is `valid`, or `invalid: ` and the reason.
pub(crate) fn verdicts(
    name: &str,
    reasons: &[Option<&str>],
) -> Result<(Field, ArrayRef), ArrowError> {
    let texts = reasons.iter().map(|reason| match reason {
        None => Cow::Borrowed("valid"),
        Some(reason) => Cow::Owned(format!("{INVALID}{reason}")),
    });
    let length = |reason: &Option<&str>| INVALID.len() + reason.map_or(0, str::len);
    check_fits(reasons.iter().map(length).sum(), &DataType::Utf8)?;
    let texts = StringArray::from_iter_values(texts);
    Ok((Field::new(name, DataType::Utf8, false), Arc::new(texts)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_longer_than_its_offsets_is_refused() {
        let most = i32::MAX as usize;
        assert!(check_fits(most, &DataType::Utf8).is_ok());
        for data_type in [DataType::Utf8, DataType::Binary] {
            let refused = check_fits(most + 1, &data_type);
            assert!(matches!(refused, Err(ArrowError::OffsetOverflowError(_))));
        }
        assert!(check_fits(most + 1, &DataType::LargeUtf8).is_ok());
    }
}
