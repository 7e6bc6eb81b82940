//! Scalars to signed digits. Arithmetic mod L is not done here.

/// How many digits of this width the integers below 2^bits have: one bit more than
/// the integer is needed, for the carry.
pub(crate) fn digit_count(bits: usize, width: usize) -> usize {
    (bits + 1).div_ceil(width)
}

/// Digits of the little-endian integer `bytes` in radix 2^width, least first, each
/// from -2^(width-1) to 2^(width-1) (the top one not negative):
/// integer = Σ digits[i]·2^(width·i). Bits of the integer from number `bits` on are
/// left out. Widths from 2 to 8; there are [`digit_count`] digits.
///
/// Variable time.
pub(crate) fn signed_digits(bytes: &[u8], bits: usize, width: usize, digits: &mut [i16]) {
    debug_assert!((2..=8).contains(&width));
    debug_assert_eq!(digits.len(), digit_count(bits, width));
    let byte = |k: usize| match bits.saturating_sub(8 * k) {
        0 => 0,
        left => u16::from(bytes.get(k).copied().unwrap_or(0)) & ((1 << left.min(8)) - 1),
    };
    let mut carry = 0;
    for (i, digit) in digits.iter_mut().enumerate() {
        let at = i * width;
        let window = (byte(at / 8) | byte(at / 8 + 1) << 8) >> (at % 8) & ((1 << width) - 1);
        let value = window as i16 + carry;
        carry = i16::from(value > 1 << (width - 1));
        *digit = value - (carry << width);
    }
    debug_assert_eq!(carry, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_add_up() {
        for width in 2..=8 {
            for (bits, byte) in (100..=120).zip([0u8, 0xff, 0x80, 0x7f, 0x55].into_iter().cycle()) {
                let bytes = [byte; 15];
                let mut digits = vec![0; digit_count(bits, width)];
                signed_digits(&bytes, bits, width, &mut digits);
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
