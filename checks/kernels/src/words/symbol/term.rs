//! What a word is, and its sums.

use super::super::interval::Interval;
use super::super::polynomial::Polynomial;

/// What a word is.
#[derive(Clone, Debug)]
pub struct Term {
    /// The word modulo 2^64, or the value of a double. There is none where only bounds are known.
    pub polynomial: Option<Polynomial>,
    /// Where the polynomial lies.
    pub range: Interval,
    /// The word is the bits of a double with this value.
    pub(super) is_double: bool,
}

pub(super) const TOO_LARGE: &str = "an interval exceeds 128 bits";

impl Term {
    pub(super) fn new(polynomial: Option<Polynomial>, range: Interval) -> Self {
        Self {
            polynomial,
            range,
            is_double: false,
        }
    }

    pub(super) fn constant(value: i128) -> Self {
        Self::new(Some(Polynomial::constant(value)), Interval::point(value))
    }

    pub(super) fn within(range: Interval) -> Self {
        Self::new(None, range)
    }

    /// self + factor·other.
    pub(super) fn plus(&self, factor: i128, other: &Self) -> Self {
        let polynomial = match (&self.polynomial, &other.polynomial) {
            (Some(a), Some(b)) => Some(a.plus(&factor, b)),
            _ => None,
        };
        let scaled = other.range.times(factor).expect(TOO_LARGE);
        Self::new(polynomial, self.range.add(scaled).expect(TOO_LARGE))
    }

    pub(super) fn plus_constant(&self, value: i128) -> Self {
        self.plus(1, &Self::constant(value))
    }

    pub(super) fn times(&self, factor: i128) -> Self {
        let polynomial = self.polynomial.as_ref().map(|p| p.times(factor));
        Self::new(polynomial, self.range.times(factor).expect(TOO_LARGE))
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        (self.range.low == self.range.high).then_some(self.range.low)
    }

    pub(super) fn into_double(self) -> Self {
        Self {
            is_double: true,
            ..self
        }
    }
}
