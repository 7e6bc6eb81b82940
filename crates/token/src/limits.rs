//! Limits on the tokens that are read and made.

use crate::error::Error;

/// The size of the largest token. A larger one is refused when it is made or decoded, and so is never
/// verified. A token made from another keeps the limits with which the other was read or minted. The default
/// is 64 signatures, 256 caveats and 65,536 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of signatures: one for each block, one more for a statement in a block, and one for
    /// a seal. The time to verify grows with their number.
    pub signatures: u32,
    /// The largest number of caveats, which are lines in the blocks.
    pub caveats: u32,
    /// The largest length of the encoding in bytes. (Its base64 text is a third longer.)
    pub bytes: usize,
}

impl Limits {
    /// Refuses an encoding of more bytes than the limit.
    pub(crate) fn check_bytes(&self, bytes: usize) -> Result<(), Error> {
        check("bytes", bytes, self.bytes)
    }

    /// Adds signatures and caveats to their counts, and refuses too many.
    pub(crate) fn count(&self, count: &mut [usize; 2], more: [usize; 2]) -> Result<(), Error> {
        for (count, more) in count.iter_mut().zip(more) {
            // A limit of u32::MAX is no limit.
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
