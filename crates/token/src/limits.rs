//! Limits on the tokens that a verifier accepts.

use crate::error::Error;

/// The size of the largest token to accept. A larger one is refused before anything is computed for
/// it.
///
/// ```
/// use klero_token::Limits;
/// assert_eq!(Limits::default(), Limits { signatures: 64, caveats: 256, bytes: 65_536 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of signatures: one for each block, one more for a statement in a block,
    /// and one for a seal. The time to verify is proportional to it.
    pub signatures: u32,
    /// The largest number of caveats, which are lines in the blocks.
    pub caveats: u32,
    /// The largest length of the encoding in bytes. (Its base64 text is a third longer.)
    pub bytes: usize,
}

impl Limits {
    /// Refuses an encoding of more bytes.
    pub(crate) fn check(&self, bytes: usize) -> Result<(), Error> {
        if bytes > self.bytes {
            let limit = self.bytes;
            return Err(Error::TooLong { bytes, limit });
        }
        Ok(())
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
