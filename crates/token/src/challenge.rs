//! What a verifier asks the holder of a token to answer.

use alloc::vec::Vec;

/// A challenge that the verifier chose: a token sealed to it is good for this one use, if
/// the verifier then forgets the nonce. How the three fields reach the holder is up to the
/// application; both sides build the same value.
///
/// The verifier keeps it until the answer comes, and decides itself how long that may
/// take: `time` only tells seals of different moments apart.
///
/// ```
/// use klero_token::Challenge;
/// let challenge = Challenge { nonce: b"16 random bytes.", audience: "api.example.org", time: 1_800_000_000 };
/// assert_ne!(challenge.encode(), Challenge { time: 0, ..challenge }.encode());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge<'a> {
    /// Bytes that the verifier never chose before: 16 random ones or more.
    pub nonce: &'a [u8],
    /// Who the token is shown to, so that one verifier cannot pass it on to another.
    pub audience: &'a str,
    /// When the challenge was made, in seconds since 1970.
    pub time: u64,
}

impl Challenge<'_> {
    /// What a seal signs: `le64|nonce| ‖ nonce ‖ le64|audience| ‖ audience ‖ le64 time`.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in [self.nonce, self.audience.as_bytes()] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        bytes.extend(self.time.to_le_bytes());
        bytes
    }
}
