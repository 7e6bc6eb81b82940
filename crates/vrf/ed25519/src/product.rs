//! Computes an integer below 2^254 that is congruent to v·s modulo L. It is small enough as a factor of the
//! base point. A complete reduction, below L, takes five times as long. For public values only.

use klero_lanes::order::{fold, multiple_of_l, times};

/// 2^34·L, which is greater than 2^161·δ (L = 2^252 + δ), as the first call of `fold` requires.
const LARGE: [u64; 7] = multiple_of_l(1, 34);

const L: [u64; 7] = multiple_of_l(1, 0);

/// Returns an integer below 2^254 that is congruent to v·s modulo L. v must be below 2^160, and s below
/// 2^253.
pub(crate) fn product(v: &[u8; 32], s: &[u8; 32]) -> [u8; 32] {
    let [v, s] = [v, s].map(|bytes| {
        let (eights, _) = bytes.as_chunks();
        [0, 1, 2, 3].map(|i| u64::from_le_bytes(eights[i]))
    });
    debug_assert!(v[2] >> 32 == 0 && v[3] == 0 && s[3] >> 61 == 0);
    let product = times::<_, 7>(&v[..3], &s);
    let folded = fold(&fold(&product, &LARGE), &L);
    debug_assert!(folded[3] >> 62 == 0 && folded[4..] == [0; 3]);
    let mut bytes = [0; 32];
    for (eight, word) in bytes.as_chunks_mut().0.iter_mut().zip(folded) {
        *eight = word.to_le_bytes();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use curve25519_dalek::scalar::Scalar;

    use super::*;

    fn power_of_two(exponent: usize) -> Scalar {
        (0..exponent).fold(Scalar::ONE, |power, _| power + power)
    }

    #[test]
    fn products_are_right_modulo_l() {
        let mut factors = Vec::new();
        for exponent in (0..160).chain([252]) {
            let power = power_of_two(exponent);
            factors.extend([power, power - Scalar::ONE, -power, power * power]);
        }
        factors.push(power_of_two(160) - Scalar::ONE);
        let short = |v: &&Scalar| v.as_bytes()[20..] == [0; 12];
        for v in factors.iter().filter(short) {
            for s in &factors {
                let found = product(v.as_bytes(), s.as_bytes());
                assert!(found[31] < 0x40);
                assert_eq!(Scalar::from_bytes_mod_order(found), v * s);
            }
        }
    }
}
