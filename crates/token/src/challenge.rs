//! Challenges, which a holder answers by sealing the token to them, so that a verifier accepts the
//! token for one use.

use alloc::vec::Vec;

use crate::error::Error;

/// A challenge that the verifier chose. A token sealed to it is valid for this one use,
/// provided that the verifier accepts each nonce once. How the three fields reach the holder
/// is up to the application; both sides build the same value.
///
/// The verifier keeps the challenge until the answer arrives, and decides how long that may
/// take: the library does not compare `time` with a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge<'a> {
    /// Bytes that the verifier has never used before: 16 or more random bytes. An empty nonce is refused
    /// when a token is sealed, and when it is verified.
    pub nonce: &'a [u8],
    /// The name of the verifier, so that it cannot pass the token on to another one.
    pub audience: &'a str,
    /// The time at which the challenge was made, in seconds since 1970.
    pub time: u64,
}

impl Challenge<'_> {
    /// The payload of a seal:
    /// `le64|nonce| ‖ nonce ‖ le64|audience| ‖ audience ‖ le64 time`.
    ///
    /// # Errors
    /// [`Error::EmptyNonce`].
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        if self.nonce.is_empty() {
            return Err(Error::EmptyNonce);
        }
        let mut bytes = Vec::new();
        for part in [self.nonce, self.audience.as_bytes()] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        bytes.extend(self.time.to_le_bytes());
        Ok(bytes)
    }
}
