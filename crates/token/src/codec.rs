//! The canonical encoding: fixed fields, and little-endian lengths of four bytes.
//!
//! A token is
//! ```text
//! "KT" ‖ version 2 ‖ scheme ‖ form ‖ le32 root key id ‖ le32 number of blocks
//!      ‖ blocks: kind ‖ link ‖ le32 payload length ‖ payload
//!      ‖ when sealed: the seal's link
//!      ‖ the end
//! ```
//! Every token has exactly one encoding, and no bytes may follow it. Announced lengths are
//! compared with the limits before anything is allocated for them.

use alloc::vec;
use alloc::vec::Vec;

use base64ct::{Base64UrlUnpadded, Encoding};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::limits::Limits;

/// The name of the scheme in the header of an encoding. A program that accepts keys of several schemes chooses with it the type to decode
/// the bytes as. Reads only the first four bytes.
///
/// # Errors
/// [`Error::Truncated`], [`Error::Magic`], [`Error::Version`], [`Error::UnknownScheme`].
///
/// ```
/// use klero_token::{Aggregate, SecretKey, Verified, scheme_of};
/// let root = SecretKey::<Aggregate>::generate()?;
/// let bytes = Verified::mint(&root, 0, b"may read", &[])?.encode()?;
/// assert_eq!(scheme_of(&bytes)?, "aggregate");
/// # Ok::<(), klero_token::Error>(())
/// ```
pub fn scheme_of(bytes: &[u8]) -> Result<&'static str, Error> {
    let scheme = Reader::new(bytes).scheme()?;
    name_of(scheme).ok_or(Error::UnknownScheme(scheme))
}

/// The name of the scheme with this number.
pub(crate) fn name_of(scheme: u8) -> Option<&'static str> {
    match scheme {
        1 => Some("chain"),
        2 => Some("aggregate"),
        _ => None,
    }
}

/// [`scheme_of`] for the text of a token, base64url without padding.
///
/// # Errors
/// [`Error::Text`], and those of [`scheme_of`].
///
/// ```
/// assert_eq!(klero_token::scheme_of_text("S1QCAgAA")?, "aggregate");
/// # Ok::<(), klero_token::Error>(())
/// ```
pub fn scheme_of_text(text: &str) -> Result<&'static str, Error> {
    // Eight characters encode six bytes.
    let mut bytes = [0; 6];
    let begin = text.get(..text.len().min(8)).ok_or(Error::Text)?;
    let bytes = Base64UrlUnpadded::decode(begin, &mut bytes).map_err(|_| Error::Text)?;
    scheme_of(bytes)
}

/// Reads base64url, and not too much of it.
pub(crate) fn read_text(text: &str, limits: &Limits) -> Result<Zeroizing<Vec<u8>>, Error> {
    // Four characters encode three bytes.
    limits.check(text.len() / 4 * 3)?;
    // A bearer token is a secret, so what was decoded of it before an error is wiped as well.
    let mut bytes = Zeroizing::new(vec![0; text.len() / 4 * 3 + 3]);
    let decoded = Base64UrlUnpadded::decode(text, &mut bytes).map_err(|_| Error::Text)?;
    let length = decoded.len();
    bytes.truncate(length);
    Ok(bytes)
}

/// The version of the encoding and of all that is hashed.
const VERSION: u8 = 2;

/// What the bytes encode.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Bearer = 0,
    Sealed = 1,
    Request = 2,
    Statement = 3,
    Held = 4,
}

/// `"KT" ‖ version ‖ scheme ‖ form`.
pub(crate) fn header(scheme: u8, form: Form) -> Vec<u8> {
    vec![b'K', b'T', VERSION, scheme, form as u8]
}

/// A length as four bytes, if it fits.
pub(crate) fn length(n: usize) -> Result<[u8; 4], Error> {
    let n = u32::try_from(n).map_err(|_| Error::TooLarge)?;
    Ok(n.to_le_bytes())
}

/// Appends a length and the bytes.
pub(crate) fn write_counted(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    out.extend(length(bytes.len())?);
    out.extend(bytes);
    Ok(())
}

/// Reads bytes from the front and keeps the position for errors.
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
        bytes.ok_or(Error::Truncated {
            what,
            at,
            length,
            end: self.bytes.len(),
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

    /// All that is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Reads the last `length` bytes again.
    pub(crate) fn again(&self, length: usize) -> Self {
        Self {
            bytes: &self.bytes[..self.at],
            at: self.at - length,
        }
    }

    /// Reads the header up to the number of the scheme, and returns that number.
    fn scheme(&mut self) -> Result<u8, Error> {
        if self.bytes("magic", 2)? != b"KT" {
            return Err(Error::Magic);
        }
        let [version] = self.array("version")?;
        if version != VERSION {
            return Err(Error::Version(version));
        }
        let [scheme] = self.array("scheme")?;
        Ok(scheme)
    }

    /// Reads the header up to the number of the scheme, which must be one of the two.
    pub(crate) fn any_scheme(&mut self) -> Result<u8, Error> {
        let scheme = self.scheme()?;
        name_of(scheme).ok_or(Error::UnknownScheme(scheme))?;
        Ok(scheme)
    }

    /// Reads the header up to the number of the scheme, which must be this one.
    pub(crate) fn this_scheme(&mut self, expected: u8, name: &'static str) -> Result<(), Error> {
        let got = self.scheme()?;
        if got != expected {
            return Err(Error::Scheme {
                got,
                expected,
                name,
            });
        }
        Ok(())
    }

    /// Reads the form.
    pub(crate) fn form(&mut self) -> Result<u8, Error> {
        let [form] = self.array("form")?;
        Ok(form)
    }

    /// Refuses bytes that follow the end.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            count => Err(Error::Trailing { at: self.at, count }),
        }
    }
}
