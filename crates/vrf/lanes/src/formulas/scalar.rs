//! The conversion of scalars to signed digits. Arithmetic mod L is not done here.

use crate::field::word::{Cut, Wide128, Word, cut_out};

/// The number of digits of this width in an integer below 2^bits. Because of the carry, the digits
/// need room for one bit more than the integer has.
pub const fn digit_count(bits: usize, width: usize) -> usize {
    (bits + 1).div_ceil(width)
}

/// Converts a little-endian integer of at most 256 bits to words, the least word first. Unused words are 0.
fn words(bytes: &[u8]) -> [u64; 6] {
    let mut words = [0; 6];
    let (eights, rest) = bytes.as_chunks();
    for (word, eight) in words.iter_mut().zip(eights) {
        *word = u64::from_le_bytes(*eight);
    }
    if let Some(word) = words.get_mut(eights.len()) {
        *word = rest
            .iter()
            .rfold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    words
}

/// The lowest `bits` bits (at most 256) of an integer. The other bits are 0.
fn lowest<W: Word>(mut words: [W; 6], bits: usize) -> [W; 6] {
    for (i, word) in words.iter_mut().enumerate() {
        match bits.saturating_sub(64 * i) {
            0 => *word = W::splat(0),
            left @ 1..64 => *word = word.and(W::splat((1 << left) - 1)),
            _ => {}
        }
    }
    words
}

/// A conversion of integers to signed digits of one width, the least first:
/// integer = Σ digits\[i\]·2^(width·i).
///
/// A single addition, with carries, adds half of the radix 2^width at the place of each digit except the
/// last. When a digit is cut out of the sum, this half is subtracted again.
pub struct SignedDigits {
    bits: usize,
    width: usize,
    halves: [u64; 5],
}

impl SignedDigits {
    /// The conversion of the lowest `bits` bits of an integer to digits from -2^(width-1) to
    /// 2^(width-1). The last digit is not negative. `width` is from 2 to 8, and `bits` is at most 256.
    pub const fn new(bits: usize, width: usize) -> Self {
        debug_assert!(2 <= width && width <= 8 && bits <= 256);
        let (mut halves, mut digit) = ([0; 5], 1);
        while digit < digit_count(bits, width) {
            let at = width * digit - 1;
            halves[at / 64] |= 1 << (at % 64);
            digit += 1;
        }
        Self {
            bits,
            width,
            halves,
        }
    }

    /// The number of digits.
    pub const fn count(&self) -> usize {
        digit_count(self.bits, self.width)
    }

    /// Returns the lowest bits of a little-endian integer, plus half of the radix at the place of each digit
    /// except the last. The digits that are cut out of this sum, except the last, are too large by this half.
    #[inline]
    pub fn raised(&self, bytes: &[u8]) -> [u64; 6] {
        self.raise(words(bytes))
    }

    /// Does the same as [`raised`](Self::raised) for an integer in words, the least word first.
    #[inline(always)]
    pub fn raise<W: Wide128>(&self, words: [W; 6]) -> [W; 6] {
        let mut words = lowest(words, self.bits);
        let mut carry = W::splat(0).to_sum();
        for (word, halves) in words.iter_mut().zip(self.halves) {
            let sum = W::add_sums(word.to_sum(), W::splat(halves).to_sum());
            let sum = W::add_sums(sum, carry);
            (*word, carry) = (W::low(sum), W::shift_sum_right::<64>(sum));
        }
        words
    }

    /// The index of the word in which a digit begins, and the digit's position in this word and the next.
    #[inline(always)]
    pub fn place(&self, digit: usize) -> (usize, Cut) {
        let at = self.width * digit;
        let last = digit + 1 == self.count();
        let cut = Cut {
            shift: (at % 64) as u32,
            mask: (1 << self.width) - 1,
            half: if last { 0 } else { 1 << (self.width - 1) },
        };
        (at / 64, cut)
    }

    /// Writes the [`count`](Self::count) digits of a little-endian integer. Variable time.
    pub fn of(&self, bytes: &[u8], digits: &mut [i16]) {
        debug_assert_eq!(digits.len(), self.count());
        let words = self.raised(bytes);
        for (i, digit) in digits.iter_mut().enumerate() {
            let (word, cut) = self.place(i);
            let raised = cut_out(words[word], words[word + 1], cut);
            *digit = raised as i16 - cut.half as i16;
        }
    }
}

/// The width of a non-adjacent form. Its digits are below 2^(`NAF_WIDTH` - 1) in magnitude.
pub const NAF_WIDTH: usize = 5;

/// The non-adjacent form of the lowest 253 bits of a little-endian integer: integer = Σ digits\[i\]·2^i.
/// Every digit is 0 or odd. Of any `NAF_WIDTH` consecutive digits, at most one is not 0.
///
/// Variable time.
pub fn naf(bytes: &[u8; 32]) -> [i8; 256] {
    let words = lowest(words(bytes), 253);
    let mut digits = [0; 256];
    // The number of low bits of a word that belong to a digit which begins in the previous word.
    let mut taken = 0;
    for word in 0..digits.len() / 64 {
        let below = |word: usize| word.checked_sub(1).map_or(0, |below| words[below] >> 63);
        let twice = [word, word + 1].map(|word| words[word] << 1 | below(word));
        // A digit other than 0 begins at a bit that differs from the carry into it. This carry always equals
        // the next lower bit. If that bit is the top bit of a digit, then the digit is negative, and carries
        // 1, exactly if the bit is set. If that bit belongs to a digit 0, it equals the carry into the
        // digit, which passes this carry on unchanged.
        let mut starts = (words[word] ^ twice[0]) >> taken << taken;
        taken = 0;
        while starts != 0 {
            let shift = starts.trailing_zeros() as usize;
            let here = twice[0] >> shift | twice[1] << 1 << (63 - shift);
            // The bits of the digit, with the carry below them. The digit is negative if the top bit is set.
            let carried = (here & ((1 << (NAF_WIDTH + 1)) - 1)) as i8;
            digits[64 * word + shift] = ((carried + 1) >> 1) - (carried >> NAF_WIDTH << NAF_WIDTH);
            starts &= !(((1 << NAF_WIDTH) - 1) << shift);
            taken = (shift + NAF_WIDTH).saturating_sub(64);
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, Sign};

    /// Asserts that the digits of these bytes add up to the integer, are small, and are 0 or odd. Asserts
    /// that digits other than 0 are far enough apart.
    fn assert_naf(bytes: &[u8; 32], integer: &BigInt) {
        let digits = naf(bytes);
        let sum = digits.iter().rev();
        let sum = sum.fold(BigInt::from(0), |sum, &digit| (sum << 1) + digit);
        assert_eq!(sum, *integer);
        assert!(digits.iter().all(|&d| d == 0 || d % 2 != 0 && d.abs() < 16));
        for some in digits.windows(NAF_WIDTH) {
            assert!(some.iter().filter(|&&d| d != 0).count() <= 1);
        }
    }

    #[test]
    fn naf_adds_up() {
        // Miri takes a second for each byte.
        let step = if cfg!(miri) { 100 } else { 1 };
        for byte in (0..=255u8).step_by(step) {
            for top in [0, 0x0f, 0x10, 0x1f, 0xff] {
                let mut bytes = [byte; 32];
                bytes[16] = byte.wrapping_mul(77);
                bytes[31] = top;
                let mut low = bytes;
                low[31] &= 0x1f;
                assert_naf(&bytes, &BigInt::from_bytes_le(Sign::Plus, &low));
            }
        }
    }

    /// Tests every pattern of seven bits at every position, and two bits that are up to 71 positions apart.
    /// The other bits are 0. Each integer is also tested with all bits inverted.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes, and runs no unsafe code")]
    fn naf_adds_up_wherever_digits_begin() {
        let one = BigInt::from(1);
        let ones: BigInt = (&one << 253) - 1;
        let rows =
            (0..128).flat_map(|row| (0..247).map(move |at| -> BigInt { BigInt::from(row) << at }));
        let pairs = (0..180).flat_map(|at| (1..72).map(move |gap| (at, gap)));
        let pairs = pairs.map(|(at, gap)| -> BigInt { ((&one << gap) + 1) << at });
        for bits in rows.chain(pairs) {
            for integer in [&ones - &bits, bits] {
                let mut bytes = [0; 32];
                let (_, least_first) = integer.to_bytes_le();
                bytes[..least_first.len()].copy_from_slice(&least_first);
                assert_naf(&bytes, &integer);
            }
        }
    }

    #[test]
    fn digits_add_up() {
        for width in 2..=8 {
            for (bits, byte) in (100..=120).zip([0u8, 0xff, 0x80, 0x7f, 0x55].into_iter().cycle()) {
                let bytes = [byte; 15];
                let signed = SignedDigits::new(bits, width);
                let mut digits = vec![0; signed.count()];
                signed.of(&bytes, &mut digits);
                let half = 1 << (width - 1);
                assert!(digits.iter().all(|&d| -half <= d && d <= half));
                // 120 bits fit i128 with room to spare.
                let sum = digits
                    .iter()
                    .rev()
                    .fold(0i128, |sum, &d| (sum << width) + i128::from(d));
                let mut wide = [0; 16];
                wide[..15].copy_from_slice(&bytes);
                assert_eq!(sum, i128::from_le_bytes(wide) & ((1 << bits) - 1));
            }
        }
    }
}
