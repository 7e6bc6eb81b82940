//! Signed digits of one scalar in each lane, which are cut out of all lanes at once.
//!
//! The words of the scalars are stored side by side, one in each lane. So cutting a digit out of
//! all lanes takes as many operations as cutting it out of one.
//!
//! Variable time.

use alloc::vec::Vec;

use crate::field::{Digits, Field, Vector};
use crate::formulas::scalar::SignedDigits;

/// The signed digits, of `width` bits each, of the lowest `bits` bits of up to eight scalars. The least digit
/// comes first. Lanes without a scalar have the digits of 0.
#[inline(always)]
pub fn digits<F: Field>(scalars: &[&[u8]], bits: usize, width: usize) -> Vec<Digits> {
    let signed = SignedDigits::new(bits, width);
    let mut words = [[0; 8]; 6];
    for lane in 0..F::LANES {
        let scalar = scalars.get(lane).copied().unwrap_or_default();
        for (words, word) in words.iter_mut().zip(signed.raised(scalar)) {
            words[lane] = word;
        }
    }
    let count = signed.count();
    let mut digits = Vec::with_capacity(count);
    for i in 0..count {
        let (word, cut) = signed.place(i);
        digits.push(F::Word::digits(&words[word], &words[word + 1], cut));
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Portable;
    use crate::formulas::scalar::digit_count;

    /// Tests that the digits of a lane are cut at the same bits as the digits of a single scalar.
    /// The tests of `field` compare the backends' ways of cutting a digit out of words.
    #[test]
    fn digits_of_lanes_are_those_of_one_scalar() {
        for width in 2..=8 {
            for (bits, byte) in [
                (128, 0xff),
                (129, 0x80),
                (253, 0x7f),
                (255, 0x55),
                (256, 0xff),
            ] {
                let scalar = [byte; 32];
                let mut expected = vec![0; digit_count(bits, width)];
                SignedDigits::new(bits, width).of(&scalar, &mut expected);
                let digits = digits::<Portable>(&[&scalar], bits, width);
                let signed = |digits: Digits| {
                    let magnitude = digits.magnitudes[0] as i16;
                    if digits.negative & 1 == 1 {
                        -magnitude
                    } else {
                        magnitude
                    }
                };
                assert_eq!(digits.into_iter().map(signed).collect::<Vec<_>>(), expected);
            }
        }
    }
}
