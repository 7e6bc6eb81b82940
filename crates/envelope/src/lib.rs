#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

/// An envelope that was read. The key is still in the text, as hex.
#[derive(Deserialize)]
pub struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(rename = "description", borrow)]
    _description: Cow<'a, str>,
    // Borrowed from the text, so that there is no copy to wipe. Any JSON is accepted, because
    // an envelope of a foreign type may have something else there.
    #[serde(rename = "cborHex", borrow)]
    cbor_hex: Option<&'a RawValue>,
}

/// The text is not a JSON object with the strings `type` and `description`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a text envelope: expected a JSON object with type and description (line {line}, column \
     {column})"
)]
#[non_exhaustive]
pub struct NotAnEnvelope {
    /// Line of the first fault, from 1.
    pub line: usize,
    /// Column of the first fault, from 1.
    pub column: usize,
}

impl<'a> Envelope<'a> {
    /// Reads an envelope of any type.
    ///
    /// # Errors
    /// [`NotAnEnvelope`] says where the text is wrong, but not what it is.
    ///
    /// ```
    /// use klero_envelope::Envelope;
    /// let error = Envelope::parse(b"{\n7}").err().unwrap();
    /// assert_eq!((error.line, error.column), (2, 1));
    /// ```
    pub fn parse(text: &'a [u8]) -> Result<Self, NotAnEnvelope> {
        serde_json::from_slice(text).map_err(|error| NotAnEnvelope {
            line: error.line(),
            column: error.column(),
        })
    }

    /// The type of the key.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The bytes in `cborHex`, which are a CBOR data item. `None` if it is absent or not a string of an
    /// even number of hex digits. Constant time in the digits, except for whether all of them are.
    pub fn content(&self) -> Option<Zeroizing<Vec<u8>>> {
        let digits = self.cbor_hex?.get().strip_prefix('"')?.strip_suffix('"')?;
        let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
        base16ct::mixed::decode(digits, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// The text of an envelope. The `parts` are the bytes of a CBOR data item, one after the other.
///
/// `kind` and `description` are written as they are: they must not contain quotes, backslashes
/// or control characters.
#[must_use]
pub fn write(kind: &str, description: &str, parts: &[&[u8]]) -> Zeroizing<String> {
    let digits: usize = parts.iter().map(|part| 2 * part.len()).sum();
    // Reserved at once, because a String that grows leaves its old bytes behind.
    let room = 100 + kind.len() + description.len() + digits;
    let mut text = Zeroizing::new(String::with_capacity(room));
    for words in [
        "{\n    \"type\": \"",
        kind,
        "\",\n    \"description\": \"",
        description,
        "\",\n    \"cborHex\": \"",
    ] {
        text.push_str(words);
    }
    for part in parts {
        text.push_str(&Zeroizing::new(base16ct::lower::encode_string(part)));
    }
    text.push_str("\"\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_was_never_moved() {
        for byte in 0..=255 {
            let text = write("Kind", "In words", &[&[byte], &[byte; 63]]);
            assert!(text.capacity() < text.len() + 100);
            let envelope = Envelope::parse(text.as_bytes()).unwrap();
            assert_eq!(envelope.kind(), "Kind");
            assert_eq!(*envelope.content().unwrap(), [byte; 64]);
            let upper = text.replace(&hex::encode([byte; 64]), &hex::encode_upper([byte; 64]));
            let envelope = Envelope::parse(upper.as_bytes()).unwrap();
            assert_eq!(*envelope.content().unwrap(), [byte; 64]);
        }
    }

    #[test]
    fn content_is_a_string_of_hex_digits() {
        for wrong in [
            "5",
            "null",
            "{}",
            "\"0\"",
            "\"0g\"",
            "\"g0\"",
            "\"é\"",
            "\"\\u0030\"",
            "\" 00\"",
        ] {
            let text = format!(r#"{{"type": "", "cborHex": {wrong}, "description": ""}}"#);
            let envelope = Envelope::parse(text.as_bytes()).unwrap();
            assert!(envelope.content().is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_envelope_is_located_and_not_repeated() {
        for (text, place) in [
            (&b"{}"[..], (1, 2)),
            (b"\xff", (1, 1)),
            (b"{\"type\": \"\",\n\"description\": \"\"\n}\n}", (4, 1)),
        ] {
            let error = Envelope::parse(text).err().unwrap();
            assert_eq!((error.line, error.column), place);
        }
    }
}
