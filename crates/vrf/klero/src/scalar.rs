//! Public scalars as bytes. They are handled in variable time, which is less work than constant time.

use core::array;

use klero_lanes::order::{L, difference};

use crate::transcript::Challenge;

/// True if a little-endian scalar is below L. Runs in variable time.
pub(crate) fn is_canonical(bytes: &[u8; 32]) -> bool {
    let (eights, _) = bytes.as_chunks();
    let words = array::from_fn(|i| u64::from_le_bytes(eights[i]));
    let (_, not_below) = difference(&words, &L);
    not_below == 0
}

/// Returns -c modulo L, little endian. Runs in variable time.
pub(crate) fn minus(c: &Challenge) -> [u8; 32] {
    let mut bytes = [0; 32];
    if *c != [0; 16] {
        let (eights, _) = c.as_chunks();
        let [low, high] = [0, 1].map(|i| u64::from_le_bytes(eights[i]));
        let (minus, _) = difference(&L, &[low, high, 0, 0]);
        for (eight, word) in bytes.as_chunks_mut().0.iter_mut().zip(minus) {
            *eight = word.to_le_bytes();
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::scalar::Scalar;
    use proptest::prelude::*;

    use super::*;
    use crate::transcript::{challenge_scalar, first};

    /// The upper and the lower 128 bits of L.
    const ORDER: [u128; 2] = [1 << 124, 27_742_317_777_372_353_535_851_937_790_883_648_493];

    fn compare(bytes: &[u8; 32]) {
        let canonical = Option::<Scalar>::from(Scalar::from_canonical_bytes(*bytes));
        assert_eq!(is_canonical(bytes), canonical.is_some(), "{bytes:?}");
        let c = first(bytes);
        assert_eq!(minus(&c), (-challenge_scalar(&c)).to_bytes(), "{c:?}");
    }

    #[test]
    fn edges() {
        let edges = [0, ORDER[0], ORDER[1]].map(|edge| {
            let below = edge.wrapping_sub(1);
            [below, edge, edge + 1]
        });
        for high in edges.as_flattened() {
            for low in edges.as_flattened() {
                let mut bytes = [0; 32];
                bytes[..16].copy_from_slice(&low.to_le_bytes());
                bytes[16..].copy_from_slice(&high.to_le_bytes());
                compare(&bytes);
            }
        }
    }

    /// Tries every byte value at every position of L - 1, L and L + 1.
    #[test]
    fn every_byte_is_compared_with_l() {
        let [high, low] = ORDER;
        for low in [low - 1, low, low + 1] {
            for (place, byte) in (0..32).flat_map(|i| (0..=0xff).map(move |byte| (i, byte))) {
                let mut bytes = [0; 32];
                bytes[..16].copy_from_slice(&low.to_le_bytes());
                bytes[16..].copy_from_slice(&high.to_le_bytes());
                bytes[place] = byte;
                compare(&bytes);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes(mut bytes: [u8; 32]) {
            compare(&bytes);
            bytes[31] &= 0x1f;
            compare(&bytes);
        }
    }
}
