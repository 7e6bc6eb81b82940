//! The active slots coefficient.

use alloc::format;
use core::fmt;

use num_integer::Integer;

use crate::error::BadInput;
use crate::fixed::Fixed;
use crate::functions::ln;
use crate::value::LeaderValue;

/// The active slots coefficient f: the share of slots in which a block is made, 0 < f <= 1. It comes
/// from the Shelley genesis of a network, and is 1/20 on mainnet.
///
/// This type also stores ln(1 - f), with the digits that the node computes (`mkActiveSlotCoeff`).
///
/// ```
/// use klero_leader::ActiveSlots;
/// let f = ActiveSlots::new(5, 100)?;
/// assert_eq!((f.numerator(), f.denominator()), (1, 20));
/// assert_eq!(f.to_string(), "1/20");
/// assert!(ActiveSlots::new(0, 1).is_err());
/// # Ok::<(), klero_leader::BadInput>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSlots {
    numerator: u64,
    denominator: u64,
    /// ln(1 - f); `None` if f is 1.
    log: Option<Fixed>,
}

impl ActiveSlots {
    /// Creates the coefficient from two integers. It is an error if 0 < f <= 1 does not hold, or if the node
    /// stops with an error when it computes ln(1 - f). The node does so for some f within 10^-33 of 1 - e^-n,
    /// where n is a whole number. No network has such an f.
    pub fn new(numerator: u64, denominator: u64) -> Result<ActiveSlots, BadInput> {
        let bad = |why| {
            BadInput(format!(
                "active slots coefficient {numerator}/{denominator}: {why}"
            ))
        };
        if numerator == 0 || numerator > denominator {
            return Err(bad("expected a ratio above 0 and at most 1"));
        }
        let log = match numerator == denominator {
            true => None,
            false => {
                let rest = &Fixed::int(1) - &Fixed::ratio(numerator, denominator);
                Some(ln(&rest).ok_or_else(|| bad("the node finds no logarithm of 1 less it"))?)
            }
        };
        let common = numerator.gcd(&denominator);
        Ok(ActiveSlots {
            numerator: numerator / common,
            denominator: denominator / common,
            log,
        })
    }

    /// The numerator in lowest terms.
    #[must_use]
    pub fn numerator(&self) -> u64 {
        self.numerator
    }

    /// The denominator in lowest terms.
    #[must_use]
    pub fn denominator(&self) -> u64 {
        self.denominator
    }

    /// True if a leader value is below f. With any other value, no pool leads, however large its stake.
    ///
    /// A pool with relative stake σ leads if its value p is below 1-(1-f)^σ. That bound is never above f. The
    /// comparison of p and f is exact: p is an integer divided by 2^512 or 2^256, and f a ratio of integers.
    #[must_use]
    pub fn exceeds(&self, value: &LeaderValue) -> bool {
        // Read as an integer, a value of n bytes is below f if value·denominator < numerator·256^n. Let the
        // left side be carry·256^n + rest, with rest < 256^n. Then the condition is carry < numerator. In
        // each step, the carry stays below the denominator, so 128 bits are enough.
        let bytes = value.as_bytes().iter().rev();
        let carry = bytes.fold(0u128, |carry, &byte| {
            (u128::from(byte) * u128::from(self.denominator) + carry) >> 8
        });
        carry < u128::from(self.numerator)
    }

    /// The node's ln(1 - f); `None` if f is 1.
    pub(crate) fn log(&self) -> Option<&Fixed> {
        self.log.as_ref()
    }
}

impl fmt::Display for ActiveSlots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}
