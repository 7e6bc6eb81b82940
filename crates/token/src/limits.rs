//! Limits on the tokens that are read and made.

use crate::error::Error;

/// The size of the largest token. A larger one is refused before anything is computed for it, and
/// what is made of a token keeps the limits with which the token was read. The default is 64 signatures,
/// 256 caveats and 65,536 bytes.
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
    pub(crate) fn check_bytes(&self, bytes: usize) -> Result<(), Error> {
        check("bytes", bytes, self.bytes)
    }
}

/// What a token has of that which is limited, as its blocks are counted.
pub(crate) struct Count {
    limits: Limits,
    signatures: u32,
    caveats: u32,
}

impl Count {
    /// The signatures of blocks and of a seal.
    pub(crate) fn new(limits: Limits, blocks: u32, sealed: bool) -> Result<Self, Error> {
        let count = Self {
            limits,
            signatures: blocks.saturating_add(sealed.into()),
            caveats: 0,
        };
        count.check()?;
        Ok(count)
    }

    /// A statement in a block.
    pub(crate) fn statement(&mut self) -> Result<(), Error> {
        self.signatures = self.signatures.saturating_add(1);
        self.check()
    }

    /// The caveats of a block.
    pub(crate) fn caveats(&mut self, more: usize) -> Result<(), Error> {
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        self.caveats = self.caveats.saturating_add(more);
        self.check()
    }

    fn check(&self) -> Result<(), Error> {
        let (has, limits) = (self, &self.limits);
        check(
            "signatures or more",
            has.signatures as usize,
            limits.signatures as usize,
        )?;
        check(
            "caveats or more",
            has.caveats as usize,
            limits.caveats as usize,
        )
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
