//! The threshold of a pool: the largest leader value with which the pool leads.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;

use crate::fixed::{Fixed, resolution};
use crate::functions::exp_bounds;
use crate::slots::ActiveSlots;
use crate::stake::Stake;
use crate::value::LeaderValue;

/// The largest leader value with which a pool leads in an epoch. A value of 64 or 32 bytes leads if it is not
/// larger than the threshold. This comparison always gives the same answer as the node's own procedure.
///
/// # The node's procedure
/// It is `checkLeaderNatValue` of `Cardano.Protocol.TPraos.BHeader`. Let c = ln(1 - f), and let p = value /
/// 2^512 (or / 2^256). A pool leads if p < 1 - (1 - f)^σ. The node computes this as 1/(1 - p) < exp(-(σ·c)).
/// If f is 1, every value leads.
///
/// # Why this is exact
/// The procedure first rounds 1/(1 - p) down to 34 digits. Call the result q, and say that q leads if its
/// value leads. The procedure compares q with pairs of bounds, which do not depend on p. Each pair is a
/// partial sum of the exponential, minus and plus an error. A q at or above the upper bound does not lead.
/// Any other q that is below the lower bound leads. The next pair decides about the q that are left.
///
/// * So before each pair, the undecided q form an interval. All q below the interval lead, and no q above it
///   leads. At the start, the interval contains all q. Each pair decides about the q outside its two bounds,
///   and the interval shrinks to the q between them. If no q is left, a number t separates the q that lead
///   from the others. If some are left after 1,000 pairs, they do not lead, and t is their lower end.
/// * Hence q leads if and only if q < t. Because t has only 34 digits, the rounding of q does not matter.
///   With max = 2^512 (or 2^256), q < t if and only if the exact quotient max/(max - value) is below t.
/// * This means value < max - max/t, so the largest value that leads is max - 1 - floor(max/t).
///
/// The bounds are computed with the node's roundings, so t has the node's errors and no others.
///
/// ```
/// use klero_leader::{ActiveSlots, LeaderValue, Stake, Threshold};
/// let f = ActiveSlots::new(1, 20).unwrap();
/// let threshold = Threshold::new(Stake::new(1, 1).unwrap(), &f);
/// assert!(threshold.leads(&LeaderValue::Praos([0x0c; 32])));
/// assert!(!threshold.leads(&LeaderValue::Praos([0x0d; 32])));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    tpraos: Option<[u8; 64]>,
    praos: Option<[u8; 32]>,
}

impl Threshold {
    /// The threshold of a pool with this stake.
    #[must_use]
    pub fn new(stake: Stake, slots: &ActiveSlots) -> Threshold {
        match exponent(stake, slots) {
            Some(x) => {
                let bound = least_that_does_not_lead(&x);
                Threshold {
                    tpraos: last_value(&bound),
                    praos: last_value(&bound),
                }
            }
            None => Threshold {
                tpraos: Some([0xff; 64]),
                praos: Some([0xff; 32]),
            },
        }
    }

    /// True if a pool with this threshold leads with a value.
    #[must_use]
    pub fn leads(&self, value: &LeaderValue) -> bool {
        match value {
            LeaderValue::TPraos(value) => self.tpraos.as_ref().is_some_and(|last| value <= last),
            LeaderValue::Praos(value) => self.praos.as_ref().is_some_and(|last| value <= last),
        }
    }

    /// The largest value of 64 bytes that leads; `None` if no value leads.
    #[must_use]
    pub fn last_tpraos(&self) -> Option<[u8; 64]> {
        self.tpraos
    }

    /// The largest value of 32 bytes that leads; `None` if no value leads.
    #[must_use]
    pub fn last_praos(&self) -> Option<[u8; 32]> {
        self.praos
    }

    /// A value divided by the largest value of the same length that leads, to the precision of an `f64`. A
    /// margin below 1 means that the value leads, and a margin above 1 that it does not. Near 1, only
    /// [`leads`](Self::leads) is exact. The margin is infinite if no value leads. A margin close to 1 can be
    /// a sign that the given stake is slightly wrong.
    #[must_use]
    pub fn margin(&self, value: &LeaderValue) -> f64 {
        margin(value, self.last_like(value).as_ref())
    }

    /// The largest value that leads among those of the same length as this value.
    #[must_use]
    pub fn last_like(&self, value: &LeaderValue) -> Option<LeaderValue> {
        match value {
            LeaderValue::TPraos(_) => self.tpraos.map(LeaderValue::TPraos),
            LeaderValue::Praos(_) => self.praos.map(LeaderValue::Praos),
        }
    }
}

/// The exponent x = -(σ·c); `None` if f is 1. The node writes `-fromRational σ * c`, where the sign applies
/// to the product. The product is rounded down before its sign changes, so x is rounded up.
fn exponent(stake: Stake, slots: &ActiveSlots) -> Option<Fixed> {
    let sigma = Fixed::ratio(stake.pool(), stake.total());
    Some(-sigma.times(slots.log()?))
}

/// For a pool with the exponent x, the number t such that 1/(1 - p) leads if and only if it is below t.
fn least_that_does_not_lead(x: &Fixed) -> Fixed {
    // The undecided numbers are at least `low` and, if there is a `high`, below `high`.
    let mut low = Fixed::int(0);
    let mut high: Option<Fixed> = None;
    for (lower, upper) in exp_bounds(x) {
        let end = match high {
            Some(high) => high.min(upper),
            None => upper,
        };
        if end <= low.clone().max(lower.clone()) {
            return end.max(low);
        }
        low = low.max(lower);
        high = Some(end);
    }
    low
}

/// The largest value of `N` bytes whose 1/(1 - p) is below the bound.
fn last_value<const N: usize>(bound: &Fixed) -> Option<[u8; N]> {
    let max = BigInt::from(1) << (8 * N);
    let last: BigInt = &max - 1 - (&max * resolution()).div_floor(&bound.0);
    let (sign, bytes) = last.to_bytes_be();
    if sign == Sign::Minus {
        return None;
    }
    let mut value = [0; N];
    value[N - bytes.len()..].copy_from_slice(&bytes);
    Some(value)
}

/// A value divided by the largest value that leads.
pub(crate) fn margin(value: &LeaderValue, last: Option<&LeaderValue>) -> f64 {
    match last.map(LeaderValue::fraction) {
        None => f64::INFINITY,
        // The largest value that leads is zero.
        Some(0.0) if value.fraction() == 0.0 => 1.0,
        Some(last) => value.fraction() / last,
    }
}
