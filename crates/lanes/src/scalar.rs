//! Scalars to signed digits. Arithmetic mod L is not done here.

/// Digits of the little-endian integer `bytes` in radix 2^width, least first, each
/// from -2^(width-1) to 2^(width-1) (the top one not negative):
/// integer = Σ digits[i]·2^(width·i). Widths from 2 to 8; `digits` must reach
/// above the top bit of the integer by one bit.
///
/// Variable time.
pub(crate) fn signed_digits(bytes: &[u8], width: usize, digits: &mut [i16]) {
    debug_assert!((2..=8).contains(&width));
    let mut carry = 0;
    for (i, digit) in digits.iter_mut().enumerate() {
        let at = i * width;
        let byte = |k: usize| u16::from(bytes.get(k).copied().unwrap_or(0));
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
            for bytes in [[0u8; 15], [0xff; 15], [0x80; 15], [0x7f; 15], [0x55; 15]] {
                let mut digits = vec![0; 121usize.div_ceil(width)];
                signed_digits(&bytes, width, &mut digits);
                let half = 1 << (width - 1);
                assert!(digits.iter().all(|&d| -half <= d && d <= half));
                // 120 bits fit i128 with room to spare.
                let sum = digits
                    .iter()
                    .rev()
                    .fold(0i128, |sum, &d| (sum << width) + i128::from(d));
                let mut wide = [0; 16];
                wide[..15].copy_from_slice(&bytes);
                assert_eq!(sum, i128::from_le_bytes(wide));
            }
        }
    }
}
