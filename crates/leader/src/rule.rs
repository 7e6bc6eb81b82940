//! The node's own procedure for one leader value.

use num_bigint::{BigInt, BigUint};

use crate::fixed::Fixed;
use crate::functions::exp_bounds;
use crate::slots::ActiveSlots;
use crate::stake::Stake;
use crate::value::LeaderValue;

/// Whether a leader value leads for a pool with this stake: `checkLeaderNatValue` of
/// `Cardano.Protocol.TPraos.BHeader`, step by step.
///
/// With p = value / 2^512 (or / 2^256) and c = ln(1 - f), the pool leads if p < 1 - (1 - f)^σ, which the
/// node computes as 1/(1 - p) < exp(-(σ·c)). It compares with partial sums of the exponential until one
/// is far enough away, and if 1,000 are not, the value does not lead. If f is 1, every value leads.
///
/// [`Threshold`](crate::Threshold) gives the same answers, and is faster from the first value on.
///
/// ```
/// use klero_leader::{ActiveSlots, LeaderValue, Stake, leads};
/// let f = ActiveSlots::new(1, 20).unwrap();
/// let all = Stake::new(1, 1).unwrap();
/// assert!(leads(&LeaderValue::Praos([0x0c; 32]), all, &f)); // 0.0470
/// assert!(!leads(&LeaderValue::Praos([0x0d; 32]), all, &f)); // 0.0509
/// ```
#[must_use]
pub fn leads(value: &LeaderValue, stake: Stake, slots: &ActiveSlots) -> bool {
    let Some(x) = exponent(stake, slots) else {
        return true;
    };
    let reciprocal = reciprocal(value);
    for (lower, upper) in exp_bounds(&x) {
        if reciprocal >= upper {
            return false;
        }
        if reciprocal < lower {
            return true;
        }
    }
    false
}

/// x = -(σ·c), the exponent; `None` if f is 1. The node writes `-fromRational σ * c`, where the sign
/// applies to the product: it is rounded down before its sign changes, so x is rounded up.
pub(crate) fn exponent(stake: Stake, slots: &ActiveSlots) -> Option<Fixed> {
    let sigma = Fixed::ratio(stake.pool(), stake.total());
    Some(-sigma.times(slots.log()?))
}

/// 1/(1 - p) = max / (max - value). The node takes `max` itself if there is no denominator, for a value
/// of `max`; 64 or 32 bytes hold at most `max - 1`, where the denominator is 1 and the result the same.
fn reciprocal(value: &LeaderValue) -> Fixed {
    let max = BigInt::from(1) << (8 * value.as_bytes().len());
    let value = BigInt::from(BigUint::from_bytes_be(value.as_bytes()));
    let rest = &max - value;
    Fixed::ratio(max, rest)
}
