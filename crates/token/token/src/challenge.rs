//! Challenges. A holder answers a challenge by sealing the token to it, so that the verifier accepts the
//! sealed token for one use.

use alloc::vec::Vec;

use crate::error::Error;

/// A challenge that the verifier chose. A token sealed to the challenge is valid for one use, provided that
/// the verifier accepts each nonce only once. The application decides how the three fields reach the holder,
/// who then builds a challenge that is equal to the verifier's.
///
/// The verifier keeps the challenge until the answer arrives, and decides how long it waits: the library does
/// not compare `time` with a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge<'a> {
    /// Bytes that the verifier has never used before: 16 or more random bytes. An empty nonce is refused both
    /// when a token is sealed and when it is verified.
    pub nonce: &'a [u8],
    /// The name of the verifier, so that this verifier cannot use the sealed token at another verifier.
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
