//! Limits on the tokens that are read and made.

use crate::error::Error;

/// Limits on the size of a token. A larger token can be neither made nor decoded, and so is never verified. A
/// token keeps the limits with which it was minted or decoded, and every token made from it has the same
/// limits. The defaults are 64 signatures, 256 caveats and 65,536 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of signatures: one for each block, one more for a block with a statement, and one
    /// for the seal. The time to verify a token grows with this number.
    pub signatures: u32,
    /// The largest number of caveats in all blocks together. Each line of caveats counts as one.
    pub caveats: u32,
    /// The largest length of the encoding in bytes. (Its base64 text is a third longer.)
    pub bytes: usize,
}

impl Limits {
    /// Checks that an encoding has at most the allowed number of bytes.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Result<(), Error> {
        check("bytes", bytes, self.bytes)
    }

    /// Adds `more` to `count`, and checks the new counts. Each is a pair of numbers: signatures and caveats.
    pub(crate) fn count(&self, count: &mut [usize; 2], more: [usize; 2]) -> Result<(), Error> {
        for (count, more) in count.iter_mut().zip(more) {
            // The count is capped at u32::MAX, so a limit of u32::MAX is never exceeded.
            *count = count.saturating_add(more).min(u32::MAX as usize);
        }
        let [signatures, caveats] = *count;
        check("signatures or more", signatures, self.signatures as usize)?;
        check("caveats or more", caveats, self.caveats as usize)
    }
}

fn check(what: &'static str, got: usize, limit: usize) -> Result<(), Error> {
    match got > limit {
        true => Err(Error::TooLarge { what, got, limit }),
        false => Ok(()),
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            signatures: 64,
            caveats: 256,
            bytes: 65_536,
        }
    }
}
