//! The ways in which a column holds bytes (the bytes themselves, text, or text in JSON strings), and
//! the encodings of bytes in text.

use std::fmt;

use arrow_schema::{DataType, Field};
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, Engine};

/// Base64 of RFC 4648, section 4. It is written with padding, and read with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The encoding of bytes as text. Columns of bytes need no encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// Hex digits, two for each byte. They are read in either case, with or without the mark `0x`, `0X` or
    /// `\x` before them. They are written in lower case, without a mark.
    #[default]
    Hex,
    /// Base64 with the standard alphabet (RFC 4648, section 4). It is read with or without padding, and
    /// written with padding.
    Base64,
}

impl Encoding {
    /// The name of the encoding: `hex` or `base64`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hex => "hex",
            Self::Base64 => "base64",
        }
    }

    /// True if a binary cell contains encoded text, as some programs write it, instead of the bytes of a key,
    /// proof, output or seed. These bytes look random, and more than 32 random bytes are practically never
    /// all characters of the encoding.
    pub(crate) fn is_text(self, bytes: &[u8]) -> bool {
        let is_letter = |byte: &u8| match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(byte),
        };
        bytes.len() > 32 && bytes[mark(bytes)..].iter().all(is_letter)
    }

    /// Encodes bytes as text.
    pub(crate) fn encode(self, bytes: impl AsRef<[u8]>) -> String {
        match self {
            Self::Hex => const_hex::encode(bytes),
            Self::Base64 => BASE64.encode(bytes),
        }
    }

    /// Decodes a text in this encoding and appends its bytes to `bytes`. The error is a part of a sentence
    /// and describes the fault. After an error, the appended bytes have no meaning.
    fn decode(self, text: &[u8], bytes: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Hex => {
                let (mark, digits) = text.split_at(mark(text));
                let start = bytes.len();
                bytes.resize(start + digits.len() / 2, 0);
                const_hex::decode_to_slice(digits, &mut bytes[start..]).map_err(
                    |error| match digits.iter().position(|byte| !byte.is_ascii_hexdigit()) {
                        Some(index) => no_digit(mark.len() + index, digits[index]),
                        None if digits.len() % 2 == 1 => "an odd number of digits".into(),
                        None => error.to_string(),
                    },
                )
            }
            Self::Base64 => BASE64.decode_vec(text, bytes).map_err(|error| match error {
                DecodeError::InvalidByte(index, byte) => no_digit(index, byte),
                DecodeError::InvalidLength(_) => "it ends after one letter of four".into(),
                DecodeError::InvalidLastSymbol { .. } => {
                    "its last letter has bits beyond the last byte".into()
                }
                DecodeError::InvalidPadding => "its padding is wrong".into(),
            }),
        }
    }
}

/// Returns the length of the mark before hex digits: `0x`, `0X`, or `\x`, which PostgreSQL writes.
fn mark(text: &[u8]) -> usize {
    match text {
        [b'0', b'x' | b'X', ..] | [b'\\', b'x', ..] => 2,
        _ => 0,
    }
}

/// Describes an invalid byte of a text, with its position.
fn no_digit(index: usize, byte: u8) -> String {
    format!("character {} is {:?}", index + 1, char::from(byte))
}

/// The kind of text in a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    /// Encoded bytes.
    Encoded(Encoding),
    /// The value itself, in UTF-8.
    Plain,
}

impl Text {
    /// Decodes a text and appends its bytes to `bytes`. The error mentions `name` (the column) and the fault.
    pub(crate) fn decode(self, name: &str, text: &[u8], bytes: &mut Vec<u8>) -> Result<(), String> {
        match self {
            Self::Plain => {
                bytes.extend_from_slice(text);
                Ok(())
            }
            Self::Encoded(encoding) => encoding
                .decode(text, bytes)
                .map_err(|fault| format!("{name} is not {self}: {fault}")),
        }
    }

    /// Decodes a JSON string of encoded text and appends its bytes to `bytes`. This works only if the letters
    /// between the quotes are the encoded text itself, without JSON escapes. For any other JSON text, returns
    /// false and appends nothing.
    pub(crate) fn decode_quoted(self, json: &[u8], bytes: &mut Vec<u8>) -> bool {
        let (Self::Encoded(encoding), [b'"', text @ .., b'"']) = (self, json) else {
            return false;
        };
        let start = bytes.len();
        let has_escape = text.starts_with(b"\\");
        let decoded = !has_escape && encoding.decode(text, bytes).is_ok();
        if !decoded {
            bytes.truncate(start);
        }
        decoded
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Encoded(encoding) => encoding.name(),
            Self::Plain => "text",
        })
    }
}

/// The way in which a column holds bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// Text.
    Text,
    /// JSON strings.
    Json,
    /// The bytes themselves.
    Binary,
}

impl Holder {
    /// Returns the way in which a column holds bytes, or `None` if its type holds no bytes.
    pub(crate) fn of(field: &Field) -> Option<Self> {
        if is_json(field) {
            return Some(Self::Json);
        }
        match value_type(field.data_type()) {
            // A column that contains only nulls may have the type `Null`.
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                Some(Self::Text)
            }
            DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_) => Some(Self::Binary),
            _ => None,
        }
    }
}

/// The form in which a column is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) holder: Holder,
    pub(crate) encoding: Encoding,
}

/// Returns the type of a column's values. For a dictionary, this is the type of the dictionary's values.
pub(crate) fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// True if a column holds JSON texts: it has the type `Utf8` with Arrow's canonical extension type
/// `arrow.json`. Its cells should be JSON strings or the JSON text `null`.
pub fn is_json(field: &Field) -> bool {
    *field.data_type() == DataType::Utf8 && field.extension_type_name() == Some("arrow.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_with_padding_or_without() {
        let decode = |text: &str| {
            let mut bytes = Vec::new();
            let decoded = Encoding::Base64.decode(text.as_bytes(), &mut bytes);
            decoded.map(|()| bytes)
        };
        for bytes in [&b""[..], b"\0", b"\0\xff", b"\0\xff\xfe", b"\xfb\xff\xbf"] {
            let text = Encoding::Base64.encode(bytes);
            assert_eq!(text.len() % 4, 0);
            assert_eq!(decode(&text).unwrap(), bytes);
            assert_eq!(decode(text.trim_end_matches('=')).unwrap(), bytes);
        }
        for (text, fault) in [
            ("AA-_", "character 3 is '-'"),
            ("AA A", "character 3 is ' '"),
            ("AAAAA", "it ends after one letter of four"),
            ("AB", "its last letter has bits beyond the last byte"),
            ("AA=A", "character 3 is '='"),
            ("é", "character 1 is 'Ã'"),
        ] {
            assert_eq!(decode(text).unwrap_err(), fault, "{text}");
        }
    }
}
