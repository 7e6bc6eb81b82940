//! v·s modulo L, reduced no further than a multiplier of the base point must be. A product of two
//! scalars reduced to the one value below L takes five times as long. For public values.

/// An integer below 2^448: words, least first.
type Wide = [u64; 7];

/// δ = L - 2^252, below 2^125.
const DELTA: [u64; 2] = [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6];

/// 2^34·L, above 2^160·δ.
const LARGE: Wide = [
    DELTA[0] << 34,
    DELTA[1] << 34 | DELTA[0] >> 30,
    DELTA[1] >> 30,
    0,
    1 << 30,
    0,
    0,
];

const L: Wide = [DELTA[0], DELTA[1], 0, 1 << 60, 0, 0, 0];

/// An integer below 2^254 that is v·s modulo L, for v below 2^160 and s below 2^253.
pub(crate) fn product(v: &[u8; 32], s: &[u8; 32]) -> [u8; 32] {
    let [v, s] = [v, s].map(|bytes| {
        let (eights, _) = bytes.as_chunks();
        [0, 1, 2, 3].map(|i| u64::from_le_bytes(eights[i]))
    });
    debug_assert!(v[2] >> 32 == 0 && v[3] == 0 && s[3] >> 61 == 0);
    let product = times(&v[..3], &s);
    let folded = fold(&fold(&product, &LARGE), &L);
    debug_assert!(folded[3] >> 62 == 0 && folded[4..] == [0; 3]);
    let mut bytes = [0; 32];
    for (eight, word) in bytes.as_chunks_mut().0.iter_mut().zip(folded) {
        *eight = word.to_le_bytes();
    }
    bytes
}

/// The same modulo L: low + multiple - high·δ, where x = low + 2^252·high, and the multiple of L is
/// not below high·δ.
#[inline]
fn fold(x: &Wide, multiple: &Wide) -> Wide {
    let high: [u64; 4] =
        core::array::from_fn(|i| x[i + 3] >> 60 | x.get(i + 4).map_or(0, |above| above << 4));
    let subtrahend = times(&DELTA, &high);
    let low = [x[0], x[1], x[2], x[3] & (u64::MAX >> 4), 0, 0, 0];
    let (mut out, mut carry) = ([0; 7], 0);
    for i in 0..7 {
        let sum = i128::from(low[i]) + i128::from(multiple[i]) - i128::from(subtrahend[i]) + carry;
        out[i] = sum as u64;
        carry = sum >> 64;
    }
    debug_assert_eq!(carry, 0);
    out
}

/// a·b, for an a of three words at most.
#[inline]
fn times(a: &[u64], b: &[u64; 4]) -> Wide {
    let mut out = [0; 7];
    for (i, a) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, b) in b.iter().enumerate() {
            let sum = u128::from(*a) * u128::from(*b) + u128::from(out[i + j]) + carry;
            out[i + j] = sum as u64;
            carry = sum >> 64;
        }
        out[i + 4] = carry as u64;
    }
    out
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
