//! Signed digits of as many scalars as there are lanes, cut from all of them at once.
//!
//! The words of the scalars lie side by side, one in each lane, so that cutting a digit of all
//! lanes takes as many operations as cutting one.
//!
//! Variable time.

use alloc::vec::Vec;

use crate::field::{Digits, Field, Vector};
use crate::formulas::scalar::SignedDigits;

/// The digits of the lowest `bits` bits of up to eight scalars, least first. Lanes without a scalar
/// have the digits of 0.
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

    /// The digits of each lane are cut where those of a single scalar are. The words of [`Field`]s
    /// are tested with the fields.
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
