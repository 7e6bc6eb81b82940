//! The texts and bytes in the cells of a column.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::DataType;
use const_hex::FromHexError;

use crate::encoding::Encoding;

/// A column of byte strings. A dictionary is not expanded: a long value that many rows share
/// is in memory once.
pub(crate) struct Cells<'a> {
    /// The name of the column.
    pub(crate) name: &'a str,
    /// How it holds bytes; `None` if there is no such column.
    encoding: Option<Encoding>,
    values: ArrayRef,
    /// For a dictionary, the index in `values` of each row's value.
    keys: Option<Vec<Option<usize>>>,
}

impl<'a> Cells<'a> {
    /// The column of this name. If there is none, every cell is missing.
    pub(crate) fn of(batch: &RecordBatch, name: &'a str) -> Self {
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
            // All its keys are null, and `normalized_keys` panics without values.
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

    /// The cell in a row, before it is decoded.
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

    /// The text in a row, `None` for a null, or what is wrong with the cell.
    pub(crate) fn text(&self, row: usize) -> Result<Option<Cow<'_, str>>, String> {
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

    /// The bytes in a row, `None` for a null, or what is wrong with the cell.
    pub(crate) fn get(&self, row: usize) -> Result<Option<Cow<'_, [u8]>>, String> {
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

    /// The bytes in a row; a null is a fault.
    pub(crate) fn require(&self, row: usize) -> Result<Cow<'_, [u8]>, String> {
        let missing = || format!("{} is missing", self.name);
        self.get(row)?.ok_or_else(missing)
    }

    /// [`require`](Self::require) for an alpha, which alone may be empty: data frames tend to
    /// make nulls of empty values.
    pub(crate) fn require_alpha(&self, row: usize) -> Result<Cow<'_, [u8]>, String> {
        self.get(row)?.ok_or_else(|| {
            format!(
                "{} is missing; where it is meant to be empty, expected an empty text or no \
                 bytes instead of null",
                self.name
            )
        })
    }

    fn decode(&self, digits: &[u8]) -> Result<Option<Cow<'_, [u8]>>, String> {
        let name = self.name;
        // `const_hex` would skip it.
        if let [b'0', b'x' | b'X', ..] = digits {
            return Err(format!(
                "{name} is not hex: it begins with 0x, expected digits alone"
            ));
        }
        match const_hex::decode(digits) {
            Ok(bytes) => Ok(Some(Cow::Owned(bytes))),
            Err(error) => Err(format!("{name} is not hex: {}", describe(error))),
        }
    }
}

/// What is wrong with hex digits, as part of a sentence.
fn describe(error: FromHexError) -> String {
    match error {
        FromHexError::InvalidHexCharacter { c, index } => {
            format!("character {} is {c:?}", index + 1)
        }
        FromHexError::OddLength => "an odd number of digits".into(),
        other => other.to_string(),
    }
}
