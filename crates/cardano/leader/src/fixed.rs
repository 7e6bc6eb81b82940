//! Numbers with 34 decimal digits after the point, with the node's rounding of each operation.
//!
//! They correspond to the type `FixedPoint` of `Cardano.Ledger.BaseTypes`, which is `Data.Fixed` with a
//! resolution of 10^34. Every rounding is towards minus infinity, even for negative numbers. Sums,
//! differences, changes of sign and products with integers are exact.

use core::ops::{Add, Neg, Sub};

use num_bigint::BigInt;
use num_integer::Integer;

/// The number of digits after the point.
const DIGITS: u32 = 34;

/// 10^34, which is the number one in units of the last digit.
pub(crate) fn resolution() -> BigInt {
    BigInt::from(10u128.pow(DIGITS))
}

/// A fixed-point number, stored as an integer number of units of 10^-34.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fixed(pub(crate) BigInt);

impl Fixed {
    /// Converts an integer, exactly.
    pub(crate) fn int(n: i64) -> Fixed {
        Fixed(resolution() * n)
    }

    /// `fromRational`: a ratio, rounded down. The denominator is positive.
    pub(crate) fn ratio(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> Fixed {
        Fixed((numerator.into() * resolution()).div_floor(&denominator.into()))
    }

    /// `*`: the product, rounded down.
    pub(crate) fn times(&self, other: &Fixed) -> Fixed {
        Fixed((&self.0 * &other.0).div_floor(&resolution()))
    }

    /// The exact product with an integer.
    pub(crate) fn times_int(&self, n: u32) -> Fixed {
        Fixed(&self.0 * n)
    }

    /// `/`: the quotient, rounded down. The divisor is not zero.
    pub(crate) fn over(&self, other: &Fixed) -> Fixed {
        Fixed((&self.0 * resolution()).div_floor(&other.0))
    }

    /// The quotient by a positive integer, rounded down.
    pub(crate) fn over_int(&self, n: u32) -> Fixed {
        Fixed(self.0.div_floor(&BigInt::from(n)))
    }

    /// The absolute value.
    pub(crate) fn abs(&self) -> Fixed {
        Fixed(self.0.magnitude().clone().into())
    }
}

impl Add for &Fixed {
    type Output = Fixed;

    fn add(self, other: &Fixed) -> Fixed {
        Fixed(&self.0 + &other.0)
    }
}

impl Sub for &Fixed {
    type Output = Fixed;

    fn sub(self, other: &Fixed) -> Fixed {
        Fixed(&self.0 - &other.0)
    }
}

impl Neg for Fixed {
    type Output = Fixed;

    fn neg(self) -> Fixed {
        Fixed(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number of `n` units.
    fn units(n: i64) -> Fixed {
        Fixed(n.into())
    }

    #[test]
    fn every_rounding_is_down() {
        let third = Fixed::ratio(1, 3);
        assert_eq!(third.times_int(3), &Fixed::int(1) - &units(1));
        assert_eq!(-Fixed::ratio(-1, 3), &third + &units(1));
        // One unit times 1/2 is zero, and minus one unit times 1/2 is minus one unit.
        let half = Fixed::ratio(1, 2);
        assert_eq!(units(1).times(&half), units(0));
        assert_eq!(units(-1).times(&half), units(-1));
        assert_eq!(units(1).over(&Fixed::int(2)), units(0));
        assert_eq!(units(-1).over(&Fixed::int(2)), units(-1));
        assert_eq!(units(1).over(&Fixed::int(-2)), units(-1));
        assert_eq!(
            (units(3).over_int(2), units(-3).over_int(2)),
            (units(1), units(-2))
        );
    }
}
