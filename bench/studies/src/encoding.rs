//! The encoding of tokens of all four schemes, and its errors.

use core::fmt;

use curve25519_dalek::{RistrettoPoint, Scalar, ristretto::CompressedRistretto};
use thiserror::Error;

/// Why bytes are not a token, or a token could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes end before the token does.
    #[error("{place}: {needed} bytes needed, {left} left")]
    Truncated {
        /// The field that is cut off.
        place: Place,
        /// The length of the field in bytes.
        needed: usize,
        /// The number of bytes that are left.
        left: usize,
    },
    /// The bytes are not the canonical encoding of a point of the group.
    #[error("{0}: not the canonical encoding of a point")]
    Point(Place),
    /// A scalar that is not below the group order.
    #[error("{0}: not a scalar below the group order")]
    Scalar(Place),
    /// Bytes follow the end of the token.
    #[error("{bytes} bytes too many: the token ends at byte {offset}")]
    Trailing {
        /// Where the token ends, in bytes from its start.
        offset: usize,
        /// The number of bytes that follow.
        bytes: usize,
    },
    /// The operating system gave no random bytes.
    #[error("no random bytes from the operating system: {0}")]
    Randomness(getrandom::Error),
}

impl From<getrandom::Error> for Error {
    fn from(error: getrandom::Error) -> Self {
        Self::Randomness(error)
    }
}

/// A field of an encoded token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The block the field is in, from 0; `None` for a field outside the blocks.
    pub block: Option<usize>,
    /// The name of the field.
    pub field: &'static str,
    /// Where the field starts, in bytes from the start of the token.
    pub offset: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(block) = self.block {
            write!(f, "block {block}, ")?;
        }
        write!(f, "{}, at byte {}", self.field, self.offset)
    }
}

/// Reads fields from the front and keeps the position for errors.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    offset: usize,
    block: Option<usize>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            offset: 0,
            block: None,
        }
    }

    /// The next `N` bytes, and their place for errors.
    pub(crate) fn array<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<(&'a [u8; N], Place), Error> {
        let place = self.place(field);
        let (array, rest) = self.rest.split_first_chunk().ok_or(Error::Truncated {
            place,
            needed: N,
            left: self.rest.len(),
        })?;
        self.rest = rest;
        self.offset += N;
        Ok((array, place))
    }

    pub(crate) fn point(&mut self, field: &'static str) -> Result<RistrettoPoint, Error> {
        let (bytes, place) = self.array(field)?;
        CompressedRistretto(*bytes)
            .decompress()
            .ok_or(Error::Point(place))
    }

    pub(crate) fn scalar(&mut self, field: &'static str) -> Result<Scalar, Error> {
        let (bytes, place) = self.array(field)?;
        Option::from(Scalar::from_canonical_bytes(*bytes)).ok_or(Error::Scalar(place))
    }

    pub(crate) fn message(&mut self, field: &'static str) -> Result<Vec<u8>, Error> {
        let (length, _) = self.array("length")?;
        let length = u32::from_le_bytes(*length) as usize;
        let (message, rest) = self.rest.split_at_checked(length).ok_or(Error::Truncated {
            place: self.place(field),
            needed: length,
            left: self.rest.len(),
        })?;
        self.rest = rest;
        self.offset += length;
        Ok(message.to_vec())
    }

    /// Reads the count and the blocks. Memory grows with the blocks that are there, not with the
    /// count.
    pub(crate) fn blocks<B>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<B, Error>,
    ) -> Result<Vec<B>, Error> {
        let (count, _) = self.array("number of blocks")?;
        let mut blocks = Vec::new();
        for block in 0..u32::from_le_bytes(*count) {
            self.block = Some(block as usize);
            blocks.push(read(self)?);
        }
        self.block = None;
        Ok(blocks)
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(Error::Trailing {
                offset: self.offset,
                bytes,
            }),
        }
    }

    fn place(&self, field: &'static str) -> Place {
        Place {
            block: self.block,
            field,
            offset: self.offset,
        }
    }
}

/// Appends the count and the blocks.
pub(crate) fn write_blocks<B>(blocks: &[B], write: impl Fn(&mut Vec<u8>, &B)) -> Vec<u8> {
    let mut out = Vec::new();
    write_length(&mut out, blocks.len());
    for block in blocks {
        write(&mut out, block);
    }
    out
}

pub(crate) fn write_point(out: &mut Vec<u8>, point: &RistrettoPoint) {
    out.extend_from_slice(point.compress().as_bytes());
}

pub(crate) fn write_scalar(out: &mut Vec<u8>, scalar: &Scalar) {
    out.extend_from_slice(scalar.as_bytes());
}

pub(crate) fn write_message(out: &mut Vec<u8>, message: &[u8]) {
    write_length(out, message.len());
    out.extend_from_slice(message);
}

fn write_length(out: &mut Vec<u8>, length: usize) {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_le_bytes());
}
