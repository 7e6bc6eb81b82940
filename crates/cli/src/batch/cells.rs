//! The bytes in a column, and columns put into a table.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::new_empty_array;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};

use crate::input::{describe, shortened};
use crate::table::is_json;

/// How a column holds bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text, hex.
    Hex,
    /// JSON texts, strings of hex.
    Json,
    /// The bytes themselves.
    Binary,
}

impl Encoding {
    /// How a column of this type holds bytes, if it can.
    pub fn of(field: &Field) -> Option<Self> {
        if is_json(field) {
            return Some(Self::Json);
        }
        match plain_type(field.data_type()) {
            // A column without any value has no type either.
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                Some(Self::Hex)
            }
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Some(Self::Binary),
            _ => None,
        }
    }
}

/// The type of the values, where a column refers to them through a dictionary.
fn plain_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Refuses a table without one of the `required` columns, or with one of them or
/// of the `optional` ones in a type that holds no bytes.
pub fn check_columns(schema: &Schema, required: &[&str], optional: &[&str]) -> Result<(), String> {
    for name in required {
        if schema.field_with_name(name).is_err() {
            let names: Vec<_> = schema
                .fields()
                .iter()
                .map(|field| shortened(field.name()))
                .collect();
            return Err(format!(
                "there is no column {name:?}: expected {}, found {}",
                required.join(", "),
                names.join(", "),
            ));
        }
    }
    for name in required.iter().chain(optional) {
        if let Ok(field) = schema.field_with_name(name)
            && Encoding::of(field).is_none()
        {
            return Err(format!(
                "column {name:?} has type {}: expected text (hex) or binary",
                field.data_type()
            ));
        }
    }
    Ok(())
}

/// A column of byte strings. Where it refers to its values through a dictionary, so do we:
/// a long value that many rows share is there once.
pub struct Cells {
    name: &'static str,
    /// How it holds bytes; `None` if it is absent.
    encoding: Option<Encoding>,
    values: ArrayRef,
    /// For each row, which of the values is its own.
    keys: Option<Vec<Option<usize>>>,
}

impl Cells {
    /// The column of that name; absent, all its cells are missing.
    pub fn of(batch: &RecordBatch, name: &'static str) -> Self {
        let schema = batch.schema();
        let Some((index, field)) = schema.column_with_name(name) else {
            return Self {
                name,
                encoding: None,
                values: new_empty_array(&DataType::Null),
                keys: None,
            };
        };
        let column = batch.column(index);
        let (values, keys) = match column.as_any_dictionary_opt() {
            None => (column.clone(), None),
            // Whose keys could not be looked at.
            Some(dictionary) if dictionary.values().is_empty() => {
                (column.clone(), Some(vec![None; column.len()]))
            }
            Some(dictionary) => {
                let keys = dictionary.normalized_keys().into_iter().enumerate();
                let keys = keys.map(|(row, key)| column.is_valid(row).then_some(key));
                (dictionary.values().clone(), Some(keys.collect()))
            }
        };
        Self {
            name,
            encoding: Encoding::of(field),
            values,
            keys,
        }
    }

    /// What stands in a row, before it is decoded.
    fn raw(&self, row: usize) -> Option<&[u8]> {
        let index = match &self.keys {
            None => row,
            Some(keys) => keys[row]?,
        };
        let values = &self.values;
        if values.data_type() == &DataType::Null || values.is_null(index) {
            return None;
        }
        Some(match values.data_type() {
            DataType::Utf8 => values.as_string::<i32>().value(index).as_bytes(),
            DataType::LargeUtf8 => values.as_string::<i64>().value(index).as_bytes(),
            DataType::Utf8View => values.as_string_view().value(index).as_bytes(),
            DataType::Binary => values.as_binary::<i32>().value(index),
            DataType::LargeBinary => values.as_binary::<i64>().value(index),
            DataType::BinaryView => values.as_binary_view().value(index),
            DataType::FixedSizeBinary(_) => values.as_fixed_size_binary().value(index),
            _ => return None,
        })
    }

    /// The text in a row, `None` if there is none, or what is wrong with it.
    pub fn text(&self, row: usize) -> Result<Option<Cow<'_, str>>, String> {
        let Some(raw) = self.raw(row) else {
            return Ok(None);
        };
        let name = self.name;
        let text = str::from_utf8(raw).map_err(|_| format!("{name} is not text"))?;
        match self.encoding {
            Some(Encoding::Json) if text == "null" => Ok(None),
            Some(Encoding::Json) => serde_json::from_str(text)
                .map(|text: String| Some(Cow::Owned(text)))
                .map_err(|_| format!("{name} is not a string")),
            _ => Ok(Some(Cow::Borrowed(text))),
        }
    }

    /// The bytes in a row, `None` if there are none, or what is wrong with them.
    pub fn get(&self, row: usize) -> Result<Option<Cow<'_, [u8]>>, String> {
        let name = self.name;
        match (self.encoding, self.raw(row)) {
            (None, _) | (_, None) => Ok(None),
            (Some(Encoding::Binary), Some(bytes)) => Ok(Some(Cow::Borrowed(bytes))),
            (Some(Encoding::Hex), Some(digits)) => self.decode(digits),
            (Some(Encoding::Json), Some(b"null")) => Ok(None),
            (Some(Encoding::Json), Some(json)) => {
                let digits: Cow<'_, str> = serde_json::from_slice(json)
                    .map_err(|_| format!("{name} is not a string, expected hex in one"))?;
                self.decode(digits.as_bytes())
            }
        }
    }

    /// The bytes in a row that must have some.
    pub fn require(&self, row: usize) -> Result<Cow<'_, [u8]>, String> {
        self.get(row)?.ok_or_else(|| match self.name {
            // Data frames make nulls of empty values, and only an alpha can be empty.
            "alpha" => "alpha is missing; where it is meant to be empty, expected an empty \
                        text or no bytes instead of null"
                .into(),
            name => format!("{name} is missing"),
        })
    }

    fn decode(&self, digits: &[u8]) -> Result<Option<Cow<'_, [u8]>>, String> {
        match hex::decode(digits) {
            Ok(bytes) => Ok(Some(Cow::Owned(bytes))),
            Err(error) => Err(format!("{} is not hex: {}", self.name, describe(error))),
        }
    }
}

/// A new column of byte strings.
pub fn column<B: AsRef<[u8]>>(
    name: &str,
    encoding: Encoding,
    values: impl Iterator<Item = Option<B>>,
) -> (Field, ArrayRef) {
    match encoding {
        Encoding::Binary => {
            let array: arrow_array::BinaryArray = values.collect();
            (Field::new(name, DataType::Binary, true), Arc::new(array))
        }
        Encoding::Hex | Encoding::Json => {
            let array: StringArray = values.map(|value| value.map(const_hex::encode)).collect();
            (Field::new(name, DataType::Utf8, true), Arc::new(array))
        }
    }
}

/// The column with `computed` where it has no value of its own. `computed` is
/// `None` where a value is to stay, or where there is none.
pub fn fill<B: AsRef<[u8]>>(
    field: &Field,
    array: &ArrayRef,
    computed: &[Option<B>],
) -> Result<(Field, ArrayRef), ArrowError> {
    let data_type = match plain_type(field.data_type()) {
        DataType::Null => &DataType::Utf8,
        other => other,
    };
    let encoding = Encoding::of(field).unwrap_or(Encoding::Hex);
    let new: ArrayRef = match encoding {
        Encoding::Json => {
            let quoted = |value: &B| format!("\"{}\"", const_hex::encode(value));
            Arc::new(
                computed
                    .iter()
                    .map(|v| v.as_ref().map(quoted))
                    .collect::<StringArray>(),
            )
        }
        _ => column(field.name(), encoding, computed.iter().map(Option::as_ref)).1,
    };
    let missing: BooleanArray = computed.iter().map(|value| Some(value.is_some())).collect();
    let array =
        arrow_select::zip::zip(&missing, &cast(&new, data_type)?, &cast(array, data_type)?)?;
    let field =
        Field::new(field.name(), data_type.clone(), true).with_metadata(field.metadata().clone());
    Ok((field, array))
}

/// The table with these columns: each takes the place of the one of its name, or
/// comes last. The column `without` is left out.
pub fn with_columns(
    batch: &RecordBatch,
    new: Vec<(Field, ArrayRef)>,
    without: Option<&str>,
) -> Result<RecordBatch, ArrowError> {
    let schema = batch.schema();
    let mut columns: Vec<(FieldRef, ArrayRef)> = schema
        .fields()
        .iter()
        .cloned()
        .zip(batch.columns().iter().cloned())
        .filter(|(field, _)| Some(field.name().as_str()) != without)
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

/// The table with nothing in these rows; columns from a text table only.
pub fn without_rows(
    batch: &RecordBatch,
    rows: impl Iterator<Item = usize>,
) -> Result<RecordBatch, ArrowError> {
    let mut emptied = vec![false; batch.num_rows()];
    for row in rows {
        emptied[row] = true;
    }
    let emptied = BooleanArray::from(emptied);
    let columns = batch.columns().iter();
    let columns = columns
        .map(|column| arrow_select::nullif::nullif(column, &emptied))
        .collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}

/// The column `verdict`: `valid`, or `invalid: reason`.
pub fn verdicts<'a>(reasons: impl Iterator<Item = Option<&'a String>>) -> (Field, ArrayRef) {
    let texts: StringArray = reasons
        .map(|reason| {
            Some(match reason {
                None => Cow::Borrowed("valid"),
                Some(reason) => Cow::Owned(format!("invalid: {reason}")),
            })
        })
        .collect();
    (
        Field::new("verdict", DataType::Utf8, false),
        Arc::new(texts),
    )
}
