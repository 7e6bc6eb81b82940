//! Messages: lists of fields.
//!
//! A field is its length (4 bytes, little-endian) and its bytes. The length 2^32 - 1 stands for
//! a field that is absent.

use zeroize::Zeroizing;

const ABSENT: u32 = u32::MAX;

/// The request is not what the wrapper sends.
const MALFORMED: &str = "malformed request";

/// The fields of a request that are still to be read. To read one is an error if the message ends within
/// it or before it, or if it is another one than the method says.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// The fields of this message.
    pub fn new(message: &'a [u8]) -> Self {
        Self(message)
    }

    /// Whether no field is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next field; `None` if it is absent.
    pub fn optional(&mut self) -> Result<Option<&'a [u8]>, String> {
        let (length, rest) = self.0.split_first_chunk().ok_or(MALFORMED)?;
        let length = u32::from_le_bytes(*length);
        if length == ABSENT {
            self.0 = rest;
            return Ok(None);
        }
        let (field, rest) = rest.split_at_checked(length as usize).ok_or(MALFORMED)?;
        self.0 = rest;
        Ok(Some(field))
    }

    /// The next field.
    pub fn bytes(&mut self) -> Result<&'a [u8], String> {
        self.optional()?.ok_or_else(|| MALFORMED.into())
    }

    /// All fields that are left.
    pub fn rest(&mut self) -> Result<Vec<&'a [u8]>, String> {
        let mut fields = Vec::new();
        while !self.is_empty() {
            fields.push(self.bytes()?);
        }
        Ok(fields)
    }

    /// The next field, a text; `None` if it is absent.
    pub fn optional_text(&mut self) -> Result<Option<&'a str>, String> {
        let field = self.optional()?.map(std::str::from_utf8);
        field.transpose().map_err(|_| MALFORMED.into())
    }

    /// The next field, a text.
    pub fn text(&mut self) -> Result<&'a str, String> {
        self.optional_text()?.ok_or_else(|| MALFORMED.into())
    }

    /// The next field, an integer of 8 bytes, little-endian; `None` if it is absent.
    pub fn optional_integer(&mut self) -> Result<Option<u64>, String> {
        let field = self.optional()?.map(<[u8; 8]>::try_from);
        let field = field.transpose().map_err(|_| MALFORMED)?;
        Ok(field.map(u64::from_le_bytes))
    }

    /// The next field, an integer.
    pub fn integer(&mut self) -> Result<u64, String> {
        self.optional_integer()?.ok_or_else(|| MALFORMED.into())
    }
}

/// The fields of a response. Its buffers are wiped when they are dropped or grow.
#[derive(Default)]
pub struct Writer(Zeroizing<Vec<u8>>);

impl Writer {
    /// Adds a field.
    pub fn push(&mut self, field: &[u8]) {
        self.push_part(&(field.len() as u32).to_le_bytes());
        self.push_part(field);
    }

    /// Adds a field that is absent.
    pub fn push_absent(&mut self) {
        self.push_part(&ABSENT.to_le_bytes());
    }

    fn push_part(&mut self, part: &[u8]) {
        let size = self.0.len() + part.len();
        if size > self.0.capacity() {
            // `Vec` would free its old buffer as it is.
            let mut larger = Zeroizing::new(Vec::with_capacity(2 * size));
            larger.extend_from_slice(&self.0);
            self.0 = larger;
        }
        self.0.extend_from_slice(part);
    }

    /// The message.
    pub fn finish(self) -> Zeroizing<Vec<u8>> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let mut writer = Writer::default();
        writer.push(b"one");
        writer.push_absent();
        writer.push(&[7; 1000]);
        writer.push(b"");
        let message = writer.finish();
        let mut reader = Reader::new(&message);
        assert_eq!(reader.bytes(), Ok(&b"one"[..]));
        assert_eq!(reader.optional(), Ok(None));
        assert_eq!(reader.bytes(), Ok(&[7; 1000][..]));
        assert_eq!(reader.bytes(), Ok(&b""[..]));
        assert!(reader.is_empty());
    }

    #[test]
    fn truncated_messages_are_errors() {
        for message in [&[][..], &[1], &[1, 0, 0], &[1, 0, 0, 0], &[0xfe; 4]] {
            assert_eq!(Reader::new(message).optional(), Err(MALFORMED.into()));
        }
        assert_eq!(Reader::new(&[0xff; 4]).bytes(), Err(MALFORMED.into()));
        let not_utf8 = [1, 0, 0, 0, 0xff];
        assert_eq!(Reader::new(&not_utf8).text(), Err(MALFORMED.into()));
        assert_eq!(Reader::new(&[0; 4]).integer(), Err(MALFORMED.into()));
    }
}
