//! Limits on the size of tokens that a verifier accepts.

use crate::error::Error;

/// The size of the largest token to accept. A larger one is refused before anything is
/// computed or allocated for it.
///
/// ```
/// use klero_token::Limits;
/// assert_eq!(Limits::default(), Limits { blocks: 64, bytes: 65_536 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest number of blocks. The time to verify is proportional to it.
    pub blocks: u32,
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
            blocks: 64,
            bytes: 65_536,
        }
    }
}
