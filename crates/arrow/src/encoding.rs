//! How a column holds bytes: the bytes themselves, hex, or hex in JSON strings.

use arrow_schema::{DataType, Field};

/// How a column holds bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Text, hex.
    Hex,
    /// JSON strings of hex.
    Json,
    /// The bytes themselves.
    Binary,
}

impl Encoding {
    /// How this column holds bytes, `None` if its type holds no bytes.
    pub(crate) fn of(field: &Field) -> Option<Self> {
        if is_json(field) {
            return Some(Self::Json);
        }
        match value_type(field.data_type()) {
            // A column that has only nulls may have the type of nulls.
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

/// The type of a column's values; for a dictionary, the type of the values it refers to.
pub(crate) fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Whether a column holds JSON texts: strings of Arrow's canonical extension type
/// `arrow.json`. Its cells are hex digits in a JSON string, or the JSON text `null`.
///
/// ```
/// use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
/// use arrow_schema::{DataType, Field};
/// let text = Field::new("alpha", DataType::Utf8, true);
/// assert!(!klero_arrow::is_json(&text));
/// let json = text.with_metadata([(EXTENSION_TYPE_NAME_KEY, "arrow.json")]);
/// assert!(klero_arrow::is_json(&json));
/// ```
pub fn is_json(field: &Field) -> bool {
    *field.data_type() == DataType::Utf8 && field.extension_type_name() == Some("arrow.json")
}
