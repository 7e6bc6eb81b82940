//! GF(2^255-19), as much of it as Elligator2 needs.
//!
//! The arithmetic is fiat-crypto's, generated from a machine-checked proof.

use core::ops::{Add, Mul, Sub};

use fiat_crypto::curve25519_64::{
    fiat_25519_add, fiat_25519_carry, fiat_25519_carry_mul, fiat_25519_from_bytes,
    fiat_25519_loose_field_element as Loose, fiat_25519_relax, fiat_25519_sub,
    fiat_25519_tight_field_element as Tight, fiat_25519_to_bytes,
};

/// An element of GF(2^255-19), its limbs always tight (below 2^51 + 2^13).
#[derive(Clone, Copy)]
pub(crate) struct FieldElement(Tight);

impl FieldElement {
    pub(crate) const ONE: Self = Self(Tight([1, 0, 0, 0, 0]));

    /// -A = -486662, A the coefficient of Curve25519.
    pub(crate) const MINUS_A: Self = Self(Tight([
        (1 << 51) - 19 - 486_662,
        (1 << 51) - 1,
        (1 << 51) - 1,
        (1 << 51) - 1,
        (1 << 51) - 1,
    ]));

    /// From 32 bytes, little endian; bit 255 must be clear, the value need not be
    /// below p.
    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Self {
        debug_assert!(bytes[31] & 0x80 == 0);
        let mut out = Tight([0; 5]);
        fiat_25519_from_bytes(&mut out, bytes);
        Self(out)
    }

    /// To 32 bytes, canonical.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut out = [0; 32];
        fiat_25519_to_bytes(&mut out, &self.0);
        out
    }

    pub(crate) fn square(self) -> Self {
        self * self
    }

    fn squared_times(self, times: u32) -> Self {
        (0..times).fold(self, |power, _| power.square())
    }

    /// 1/self by Fermat, self^(p-2); 0 for 0.
    pub(crate) fn invert(self) -> Self {
        // The usual chain: x^(2^n - 1) for n = 5, 10, 20, 40, 50, 100, 200, 250.
        let x2 = self.square();
        let x9 = x2.squared_times(2) * self;
        let x11 = x9 * x2;
        let ones_5 = x11.square() * x9;
        let ones_10 = ones_5.squared_times(5) * ones_5;
        let ones_20 = ones_10.squared_times(10) * ones_10;
        let ones_40 = ones_20.squared_times(20) * ones_20;
        let ones_50 = ones_40.squared_times(10) * ones_10;
        let ones_100 = ones_50.squared_times(50) * ones_50;
        let ones_200 = ones_100.squared_times(100) * ones_100;
        let ones_250 = ones_200.squared_times(50) * ones_50;
        ones_250.squared_times(5) * x11
    }

    fn relaxed(self) -> Loose {
        let mut out = Loose([0; 5]);
        fiat_25519_relax(&mut out, &self.0);
        out
    }

    fn carried(loose: &Loose) -> Self {
        let mut out = Tight([0; 5]);
        fiat_25519_carry(&mut out, loose);
        Self(out)
    }
}

impl Add for FieldElement {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let mut sum = Loose([0; 5]);
        fiat_25519_add(&mut sum, &self.0, &other.0);
        Self::carried(&sum)
    }
}

impl Sub for FieldElement {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let mut difference = Loose([0; 5]);
        fiat_25519_sub(&mut difference, &self.0, &other.0);
        Self::carried(&difference)
    }
}

impl Mul for FieldElement {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mut product = Tight([0; 5]);
        fiat_25519_carry_mul(&mut product, &self.relaxed(), &other.relaxed());
        Self(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_itself_is_one() {
        for first in [1u8, 2, 5, 0xff] {
            let mut bytes = [0x5a; 32];
            bytes[0] = first;
            let x = FieldElement::from_bytes(&bytes);
            assert_eq!((x * x.invert()).to_bytes(), FieldElement::ONE.to_bytes());
        }
    }

    #[test]
    fn minus_a_plus_a_is_zero() {
        let mut a = [0; 32];
        a[..4].copy_from_slice(&486_662u32.to_le_bytes());
        let sum = FieldElement::MINUS_A + FieldElement::from_bytes(&a);
        assert_eq!(sum.to_bytes(), [0; 32]);
    }
}
