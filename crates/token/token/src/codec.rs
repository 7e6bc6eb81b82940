//! The canonical encoding: fixed fields, and little-endian lengths of four bytes.
//!
//! A token is
//! ```text
//! "KT" ‖ version 3 ‖ scheme ‖ form ‖ le32 root key id ‖ le32 number of blocks
//!      ‖ blocks: kind ‖ link ‖ le32 payload length ‖ payload
//!      ‖ when sealed: the seal's link
//!      ‖ the end
//! ```
//! Every token has exactly one encoding, and no bytes may follow it. An announced length never makes the
//! reader allocate memory for more bytes than arrived.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use base64ct::{Base64UrlUnpadded, Encoding};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::limits::Limits;
use crate::scheme::{CAVEATS_ES256, CAVEATS_PASSKEY, Kind, ROOT, Scheme};

const NOT_BASE64URL: Error =
    Error::Malformed(Cow::Borrowed("the text is not base64url without padding"));

/// Decodes base64url. Refuses a text whose decoded bytes would exceed the limit.
pub(crate) fn read_text(text: &str, limits: &Limits) -> Result<Zeroizing<Vec<u8>>, Error> {
    // Four characters encode three bytes. At the end, two characters encode one byte, and three encode two.
    limits.check_bytes(text.len() / 4 * 3 + text.len() % 4 * 3 / 4)?;
    // A bearer token is a secret, so even the bytes that were decoded before an error must be wiped.
    let mut bytes = Zeroizing::new(vec![0; text.len() / 4 * 3 + 3]);
    let decoded = Base64UrlUnpadded::decode(text, &mut bytes).map_err(|_| NOT_BASE64URL)?;
    let length = decoded.len();
    bytes.truncate(length);
    Ok(bytes)
}

/// The version of the encoding. The tags of all hashes and signed messages end with the same version.
const VERSION: u8 = 3;

/// The form of an encoding: a bearer token, a sealed token, a device's token, a request, or a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Bearer = 0,
    Sealed = 1,
    Request = 2,
    Statement = 3,
    Held = 4,
    StatementEs256 = 6,
    StatementPasskey = 7,
}

/// The error for bytes of a wrong form, such as a token where a statement is expected.
pub(crate) fn wrong_form(got: u8, expected: &str) -> Error {
    Error::Malformed(format!("form {got} at byte 4, expected {expected}").into())
}

/// The beginning of every encoding: `"KT" ‖ version ‖ scheme ‖ form`.
pub(crate) fn header(scheme: Scheme, form: Form) -> Vec<u8> {
    vec![b'K', b'T', VERSION, scheme.id(), form as u8]
}

/// A length as four bytes, if it fits.
pub(crate) fn length(n: usize) -> Result<[u8; 4], Error> {
    let too_large = "the token would be too large to encode";
    let n = u32::try_from(n).map_err(|_| Error::Malformed(too_large.into()))?;
    Ok(n.to_le_bytes())
}

/// Appends the length of the bytes, and then the bytes.
pub(crate) fn write_counted(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    out.extend(length(bytes.len())?);
    out.extend(bytes);
    Ok(())
}

/// Reads bytes from the front, and keeps its position for error messages.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next `length` bytes.
    pub(crate) fn bytes(&mut self, what: &'static str, length: usize) -> Result<&'a [u8], Error> {
        let at = self.at;
        let end = at.checked_add(length);
        let bytes = end.and_then(|end| self.bytes.get(at..end));
        self.at = end.unwrap_or(self.at);
        bytes.ok_or_else(|| {
            let end = self.bytes.len();
            let field = format!("{what} at byte {at} ({length} bytes)");
            Error::Malformed(format!("the bytes end at {end}, within the {field}").into())
        })
    }

    /// The next N bytes.
    pub(crate) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error> {
        let mut out = [0; N];
        out.copy_from_slice(self.bytes(what, N)?);
        Ok(out)
    }

    /// A little-endian integer of four bytes.
    pub(crate) fn le32(&mut self, what: &'static str) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    /// Reads a length of four bytes, and then that number of bytes.
    pub(crate) fn counted(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        let length = self.le32("length")?;
        self.bytes(what, usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// A reader for the `length` bytes that were read last.
    pub(crate) fn again(&self, length: usize) -> Self {
        Self {
            bytes: &self.bytes[..self.at],
            at: self.at - length,
        }
    }

    /// Reads the header up to the scheme.
    pub(crate) fn scheme(&mut self) -> Result<Scheme, Error> {
        if self.bytes("magic", 2)? != b"KT" {
            let what = "not a token: expected the bytes \"KT\" at byte 0";
            return Err(Error::Malformed(what.into()));
        }
        let [version] = self.array("version")?;
        if version != VERSION {
            let what = format!("version {version} at byte 2, expected 3");
            return Err(Error::Malformed(what.into()));
        }
        let [scheme] = self.array("scheme")?;
        Scheme::of_id(scheme).ok_or_else(|| {
            let what = format!("scheme {scheme} at byte 3, expected 1 (chain) or 2 (aggregate)");
            Error::Malformed(what.into())
        })
    }

    /// Reads the kind of the block with this number. `previous` is the kind of the block before, if any.
    pub(crate) fn kind(
        &mut self,
        scheme: Scheme,
        block: usize,
        previous: Option<u8>,
    ) -> Result<u8, Error> {
        let at = self.at;
        let [got] = self.array("kind")?;
        let entrusts = matches!(got, CAVEATS_ES256 | CAVEATS_PASSKEY);
        let kind = Kind::of(got).filter(|_| scheme.has_devices() || !entrusts);
        let expected = match (previous, kind) {
            (None, Some(Kind::Root)) => return Ok(got),
            (None, _) => "0 (root)",
            // No block follows kind 6 or 7, because P-256 keys sign only seals.
            (Some(CAVEATS_ES256 | CAVEATS_PASSKEY), _) => "none behind 6 or 7",
            (Some(_), Some(_)) if got != ROOT => return Ok(got),
            _ if scheme.has_devices() => "1, 2, 3, 6, 7, 8 or 9",
            _ => "1, 2, 3, 8 or 9",
        };
        let what = format!("block {block}: kind {got} at byte {at}, expected {expected}");
        Err(Error::Malformed(what.into()))
    }

    /// Reads the form, which must be one of `forms`.
    pub(crate) fn form(&mut self, forms: &[Form], expected: &str) -> Result<Form, Error> {
        let [got] = self.array("form")?;
        let form = forms.iter().find(|form| **form as u8 == got);
        form.copied().ok_or_else(|| wrong_form(got, expected))
    }

    /// Checks that no bytes follow the end.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            count => {
                let what = format!("{count} more bytes follow the end at byte {}", self.at);
                Err(Error::Malformed(what.into()))
            }
        }
    }
}
