//! Products of weights and scalars modulo L, as integers below 2^255.
//!
//! A sum of points accepts any multiplier below 2^255, so a product need not be reduced to the unique value
//! below L = 2^252 + δ. Instead, its part above 2^252 is folded once, with 2^252 = -δ mod L. This takes a
//! fraction of the time of an exact reduction. A multiplier that is not reduced changes the torsion part of a
//! sum, but the cofactor removes this part. No value here may be secret.

use klero_lanes::order::{difference, fold, multiple_of_l, sum, times};

/// An integer below 2^384, as words with the least significant first.
type Wide = [u64; 6];

/// A sum of up to 2^100 products.
#[derive(Clone, Copy, Default)]
pub(super) struct Products(Wide);

impl Products {
    /// The product weight·scalar.
    pub(super) fn one(weight: &[u8; 16], scalar: &[u8; 32]) -> Self {
        Self(folded(&product(weight, scalar)))
    }

    /// Adds weight·scalar.
    pub(super) fn add(&mut self, weight: &[u8; 16], scalar: &[u8; 32]) {
        self.0 = sum(&self.0, &Self::one(weight, scalar).0);
    }

    /// Returns an integer below 2^255 that is congruent to the sum modulo L.
    pub(super) fn to_bytes(self) -> [u8; 32] {
        to_bytes(&folded(&self.0))
    }

    /// Returns an integer below 2^255 that is congruent to minus the sum modulo L.
    pub(super) fn minus_to_bytes(self) -> [u8; 32] {
        // The folded sum is below 6·L.
        let (minus, not_below) = difference(&const { multiple_of_l(6, 0) }, &folded(&self.0));
        debug_assert_eq!(not_below, 1);
        to_bytes(&minus)
    }
}

fn product(weight: &[u8; 16], scalar: &[u8; 32]) -> Wide {
    times(&words::<2>(weight), &words::<4>(scalar))
}

fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let (eights, _) = bytes.as_chunks();
    core::array::from_fn(|i| u64::from_le_bytes(eights[i]))
}

/// Folds x = low + 2^252·high, below 2^381, to low + 4·L - δ·high, which is congruent modulo L. Here high is
/// below 2^129, so δ·high is below 2^254. The result is not negative, and below 5·2^252 + 4·δ.
fn folded(x: &Wide) -> Wide {
    debug_assert!(x[5] >> 61 == 0);
    let folded = fold(x, &const { multiple_of_l(4, 0) });
    debug_assert!(folded[3] >> 60 <= 5 && folded[4..] == [0, 0]);
    folded
}

fn to_bytes(x: &Wide) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(x) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use curve25519_dalek::scalar::Scalar;
    use proptest::prelude::*;

    /// Checks that the sum of some products, and minus the sum, are right and below 2^255.
    fn check(terms: &[([u8; 16], Scalar)]) {
        let mut products = Products::default();
        let mut exact = Scalar::ZERO;
        for (weight, scalar) in terms {
            products.add(weight, scalar.as_bytes());
            exact += Scalar::from(u128::from_le_bytes(*weight)) * scalar;
        }
        for (found, expected) in [
            (products.to_bytes(), exact),
            (products.minus_to_bytes(), -exact),
        ] {
            assert!(found[31] < 0x80);
            assert_eq!(Scalar::from_bytes_mod_order(found), expected, "{terms:?}");
        }
    }

    #[test]
    fn edges() {
        let two_252 = Scalar::from_bytes_mod_order({
            let mut bytes = [0; 32];
            bytes[31] = 0x10;
            bytes
        });
        let one = Scalar::ONE;
        let scalars = [
            Scalar::ZERO,
            one,
            -one,
            two_252 - one,
            two_252,
            two_252 + one,
        ];
        let weights = [0, 1, 1 << 64, u64::MAX.into(), u128::MAX - 1, u128::MAX];
        for scalar in scalars {
            for weight in weights.map(u128::to_le_bytes) {
                for count in [0, 1, 2, 1000] {
                    check(&vec![(weight, scalar); count]);
                }
            }
        }
    }

    /// Folds integers below 2^381. Their parts above and below 2^252 take their least and greatest values,
    /// values near these, and values in between.
    #[test]
    fn edges_of_a_fold() {
        let below = [0, 1, u64::MAX >> 4];
        let above = [0, 1, 15, 16, u64::MAX >> 3];
        for (low, high) in below
            .into_iter()
            .flat_map(|low| above.map(|high| (low, high)))
        {
            for rest in [0, u64::MAX] {
                let x = [
                    rest,
                    rest,
                    rest,
                    low | high << 60,
                    rest.min(high) | high << 1,
                    high,
                ];
                let mut bytes = [0; 64];
                for (bytes, word) in bytes.chunks_exact_mut(8).zip(x) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
                let exact = Scalar::from_bytes_mod_order_wide(&bytes);
                let products = Products(x);
                for (found, expected) in [
                    (products.to_bytes(), exact),
                    (products.minus_to_bytes(), -exact),
                ] {
                    assert!(found[31] < 0x80);
                    assert_eq!(Scalar::from_bytes_mod_order(found), expected, "{x:x?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_terms(terms in prop::collection::vec(any::<([u8; 16], [u8; 32])>(), 0..20)) {
            let terms: Vec<_> = terms
                .into_iter()
                .map(|(weight, scalar)| (weight, Scalar::from_bytes_mod_order(scalar)))
                .collect();
            check(&terms);
        }
    }
}
