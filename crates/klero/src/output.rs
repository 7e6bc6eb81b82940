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

    /// An integer below `n`, such as the number of the winner of a lottery.
    ///
    /// The result is floor(output * n / 2^512), where the 64 bytes are a number in big-endian order. An
    /// output that nobody could choose is as good as uniform. Each integer then comes from floor(2^512 / n)
    /// outputs, or from one more, so its probability is 1/n with a relative error below 2^-448. A few bytes
    /// of the output modulo `n` have a much larger bias.
    ///
    /// No branch and no address depends on the output or on `n`.
    ///
    /// # Example
    /// A lottery with 1,000 tickets. The round is named and the public key is published before the
    /// tickets are sold; then everyone can check the draw.
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
        // The highest word of the product: each lower word only passes on its carry.
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
