//! The texts and bytes in the cells of a column.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, new_empty_array};
use arrow_schema::DataType;

use crate::columns::Options;
use crate::encoding::{Holder, Text};

/// The bytes of a cell. The decoded cells of a batch (except seeds) share one buffer, because allocating
/// memory for a single cell takes longer than decoding it.
pub(crate) enum Bytes<'a> {
    /// The bytes in the table.
    InTable(&'a [u8]),
    /// The range where the bytes are in the buffer of decoded cells.
    Decoded(Range<usize>),
}

impl<'a> Bytes<'a> {
    /// Returns the bytes. `decoded` is the buffer that the cell was decoded into.
    pub(crate) fn of(&self, decoded: &'a [u8]) -> &'a [u8] {
        match self {
            Self::InTable(bytes) => bytes,
            Self::Decoded(range) => &decoded[range.clone()],
        }
    }
}

/// A column of byte strings. A dictionary is not expanded, so a long value that many rows share is in memory
/// only once.
pub(crate) struct Cells<'a> {
    /// The name of the column.
    pub(crate) name: &'a str,
    /// The way in which the column holds bytes; `None` if the table lacks the column, or if the column's
    /// type holds no bytes.
    holder: Option<Holder>,
    /// The kind of text in the column, if the column holds text.
    text: Text,
    values: ArrayRef,
    /// For a dictionary, the index of each row's value in `values`.
    keys: Option<Vec<Option<usize>>>,
}

impl<'a> Cells<'a> {
    /// Finds the column of this name. If the batch lacks the column, every cell is missing.
    pub(crate) fn of(batch: &RecordBatch, name: &'a str, text: Text, options: &Options) -> Self {
        let schema = batch.schema();
        let Some((index, field)) = schema.column_with_name(name) else {
            return Self {
                name,
                holder: None,
                text,
                values: new_empty_array(&DataType::Null),
                keys: None,
            };
        };
        let column = batch.column(index);
        let (values, keys) = match column.as_any_dictionary_opt() {
            None => (column.clone(), None),
            // A dictionary without values has only null keys. `normalized_keys` would panic on it.
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
            holder: options.holder(field),
            text,
            values,
            keys,
        }
    }

    /// Returns the bytes of a cell before decoding, or `None` for a null or a type that holds no bytes.
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

    /// Returns the text in a row, or `None` for a null. The error describes the fault of the cell.
    pub(crate) fn text(&self, row: usize) -> Result<Option<Cow<'_, str>>, String> {
        let Some(raw) = self.raw(row) else {
            return Ok(None);
        };
        let name = self.name;
        let text = str::from_utf8(raw).map_err(|_| format!("{name} is not text"))?;
        match self.holder {
            Some(Holder::Json) if text == "null" => Ok(None),
            Some(Holder::Json) => serde_json::from_str(text)
                .map(|text: String| Some(Cow::Owned(text)))
                .map_err(|_| format!("{name} is not a string")),
            _ => Ok(Some(Cow::Borrowed(text))),
        }
    }

    /// Returns the bytes in a row, or `None` for a null. Encoded text is decoded and appended to `decoded`.
    /// The error describes the fault of the cell. One such fault is encoded text in a binary column.
    pub(crate) fn get(
        &self,
        row: usize,
        decoded: &mut Vec<u8>,
    ) -> Result<Option<Bytes<'_>>, String> {
        let cell = self.any(row, decoded)?;
        match (&cell, self.text) {
            (Some(Bytes::InTable(bytes)), Text::Encoded(encoding)) if encoding.is_text(bytes) => {
                Err(format!(
                    "{} is {} in a binary column, expected its bytes, or the option for binary text",
                    self.name, self.text
                ))
            }
            _ => Ok(cell),
        }
    }

    /// Does the same as [`get`](Self::get), except that encoded text in a binary column is no fault: the
    /// letters of the text are then the bytes.
    fn any(&self, row: usize, decoded: &mut Vec<u8>) -> Result<Option<Bytes<'_>>, String> {
        let name = self.name;
        let (Some(holder), Some(raw)) = (self.holder, self.raw(row)) else {
            return Ok(None);
        };
        let start = decoded.len();
        match (holder, self.text) {
            (Holder::Binary, _) | (Holder::Text, Text::Plain) => {
                return Ok(Some(Bytes::InTable(raw)));
            }
            (Holder::Text, text) => text.decode(name, raw, decoded)?,
            (Holder::Json, _) if raw == b"null" => return Ok(None),
            (Holder::Json, text) if text.decode_quoted(raw, decoded) => {}
            (Holder::Json, text) => {
                let string: String = serde_json::from_slice(raw)
                    .map_err(|_| format!("{name} is not a string, expected {text} in one"))?;
                text.decode(name, string.as_bytes(), decoded)?;
            }
        }
        Ok(Some(Bytes::Decoded(start..decoded.len())))
    }

    /// Returns the bytes in a row. A null is an error.
    pub(crate) fn require(&self, row: usize, decoded: &mut Vec<u8>) -> Result<Bytes<'_>, String> {
        let missing = || format!("{} is missing", self.name);
        self.get(row, decoded)?.ok_or_else(missing)
    }

    /// Returns the alpha in a row. A null is an error, whose message explains how to write an empty alpha.
    /// Only an alpha may be empty, and data frames tend to turn empty values into nulls.
    pub(crate) fn require_alpha(
        &self,
        row: usize,
        decoded: &mut Vec<u8>,
    ) -> Result<Bytes<'_>, String> {
        self.any(row, decoded)?.ok_or_else(|| {
            format!(
                "{} is missing; where it is meant to be empty, expected an empty text or no \
                 bytes instead of null",
                self.name
            )
        })
    }
}
