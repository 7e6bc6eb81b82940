//! The output of the VRF.

use core::num::NonZeroU64;

use crate::bytes::{bytes_type, wrong_length};
use crate::error::Error;

/// beta, the output of the VRF: 64 bytes.
///
/// ```
/// use klero::{Output, SecretKey, Suite};
/// let output = SecretKey::from_seed(Suite::PRAOS, &[7; 32]).evaluate(b"alpha");
/// let hex = output.to_string();
/// assert_eq!(hex.len(), 128);
/// assert_eq!(hex.parse::<Output>()?, output);
/// # Ok::<(), klero::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Output(pub [u8; 64]);

impl Output {
    /// The 64 bytes.
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }

    /// Returns an integer below `n`, such as the number of the winner of a lottery.
    ///
    /// The result is floor(output * n / 2^512), where the 64 bytes are a big-endian number. Each integer
    /// below `n` is the result for floor(2^512 / n) outputs, or for one output more. If nobody could
    /// influence the output, it is practically uniform, and each integer has probability 1/n with a relative
    /// error below 2^-448. The bias is much larger if only a few bytes of the output are reduced modulo `n`.
    ///
    /// No branch and no memory address depends on the output or on `n`.
    ///
    /// # Example
    /// A lottery with 1,000 tickets. The name of the round and the public key are published before the
    /// tickets are sold, so everyone can check the draw.
    ///
    /// ```
    /// use std::num::NonZeroU64;
    ///
    /// use klero::{SecretKey, Suite};
    ///
    /// let suite = Suite::RFC9381_ELL2;
    /// let key = SecretKey::from_seed(suite, &[7; 32]);
    /// let (proof, _) = key.prove(b"round 12");
    ///
    /// let output = suite.verify(key.public_key().as_bytes(), b"round 12", proof.as_bytes())?;
    /// let winner = output.below(NonZeroU64::new(1000).unwrap());
    /// assert!(winner < 1000);
    /// # Ok::<(), klero::Invalid>(())
    /// ```
    pub fn below(&self, n: NonZeroU64) -> u64 {
        // Only the highest word of the product is needed, so only the carry of the lower words is kept.
        let words = self.0.as_chunks().0.iter().rev();
        words.fold(0, |carry, word| {
            let word = u64::from_be_bytes(*word);
            let product = u128::from(word) * u128::from(n.get()) + u128::from(carry);
            (product >> 64) as u64
        })
    }
}

impl TryFrom<&[u8]> for Output {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let output = bytes.try_into().map(Self);
        output.map_err(|_| wrong_length(bytes.len()))
    }
}

bytes_type!(Output, 64);
