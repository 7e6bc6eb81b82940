//! Constants of the curve, as limbs of 51 bits.
//!
//! The tests of this module check each constant against its definition.

use crate::field::Limbs;

/// d = -121665/121666, the coefficient of edwards25519: -x² + y² = 1 + d·x²·y².
pub const D: Limbs = [
    929955233495203,
    466365720129213,
    1662059464998953,
    2033849074728123,
    1442794654840575,
];

/// 2·d.
pub const TWO_D: Limbs = [
    1859910466990425,
    932731440258426,
    1072319116312658,
    1815898335770999,
    633789495995903,
];

/// -A, where A = 486662 is the coefficient of Curve25519: v² = u³ + A·u² + u.
pub const MINUS_A: Limbs = [
    2251799813198567,
    2251799813685247,
    2251799813685247,
    2251799813685247,
    2251799813685247,
];

/// 1 - √-1, a square root of -2·√-1.
pub const ONE_MINUS_I: Limbs = [
    533094393274174,
    2016890930128738,
    18285341111199,
    134597186663265,
    1486323764102114,
];

/// The even square root of -(A+2) = -486664: x = √-486664·u/v maps Curve25519 to edwards25519.
pub const SQRT_MINUS_A_MINUS_2: Limbs = [
    1693982333959686,
    608509411481997,
    2235573344831311,
    947681270984193,
    266558006233600,
];

/// A + 2 = 486664.
pub const A_PLUS_2: Limbs = [486664, 0, 0, 0, 0];

/// σ = α ± 2, where α = √(A+2). The sign is the one for which σ·α is not a square.
pub const SIGMA: Limbs = [
    1608655899704282,
    1999971613377227,
    49908634785720,
    1873700692181652,
    353702208628067,
];

/// 1/2.
pub const HALF: Limbs = [
    2251799813685239,
    2251799813685247,
    2251799813685247,
    2251799813685247,
    1125899906842623,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{ONE, SQRT_M1, ZERO};
    use num_bigint::BigUint;

    fn p() -> BigUint {
        (BigUint::from(1u8) << 255) - 19u8
    }

    fn value(limbs: &Limbs) -> BigUint {
        limbs
            .iter()
            .rev()
            .fold(BigUint::from(0u8), |value, limb| (value << 51) + limb)
    }

    fn negative(x: u64) -> BigUint {
        p() - x
    }

    fn is_square(x: &BigUint) -> bool {
        x.modpow(&((p() - 1u8) >> 1), &p()) == BigUint::from(1u8)
    }

    #[test]
    fn each_constant_is_what_it_says() {
        let p = p();
        let square = |limbs| value(limbs).pow(2) % &p;
        assert_eq!(value(&ZERO), BigUint::from(0u8));
        assert_eq!(value(&ONE), BigUint::from(1u8));
        assert_eq!(square(&SQRT_M1), negative(1));
        assert_eq!(value(&D) * 121_666u32 % &p, negative(121_665));
        assert_eq!(value(&TWO_D), value(&D) * 2u8 % &p);
        assert_eq!(value(&MINUS_A), negative(486_662));
        assert_eq!((value(&ONE_MINUS_I) + value(&SQRT_M1)) % &p, value(&ONE));
        assert_eq!(square(&SQRT_MINUS_A_MINUS_2), negative(486_664));
        assert_eq!(value(&A_PLUS_2), BigUint::from(486_664u32));
        assert_eq!(value(&HALF) * 2u8 % &p, value(&ONE));
        for root in [SQRT_M1, SQRT_MINUS_A_MINUS_2] {
            assert_eq!(root[0] & 1, 0, "the even root");
        }
        // α = √-(A+2) / √-1, up to sign.
        let i_inverse = &p - value(&SQRT_M1);
        let alpha = value(&SQRT_MINUS_A_MINUS_2) * i_inverse % &p;
        let sigmas = [&alpha, &(&p - &alpha)].map(|alpha| {
            let sigma = value(&SIGMA);
            let by_two = (&p + &sigma - alpha) % &p;
            (by_two == BigUint::from(2u8) || by_two == negative(2))
                && !is_square(&(sigma * alpha % &p))
        });
        assert!(sigmas.contains(&true));
    }
}
