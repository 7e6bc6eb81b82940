//! The leader values with which a pool leads, as one number.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;

use crate::fixed::{Fixed, resolution};
use crate::functions::exp_bounds;
use crate::slots::ActiveSlots;
use crate::stake::Stake;
use crate::value::LeaderValue;

/// The last leader value with which a pool leads in an epoch. Comparing any value with it, in 64 or 32 bytes,
/// tells whether that value leads, exactly as the node's own procedure does.
///
/// # The node's procedure
/// It is `checkLeaderNatValue` of `Cardano.Protocol.TPraos.BHeader`. With p = value / 2^512 (or / 2^256) and
/// c = ln(1 - f), a pool leads if p < 1 - (1 - f)^σ, which the node computes as 1/(1 - p) < exp(-(σ·c)). If
/// f is 1, every value leads.
///
/// # Why this is exact
/// The procedure compares q = 1/(1 - p), rounded down to 34 digits, with pairs of bounds that do not depend
/// on p: each pair is a partial sum of the exponential, minus and plus an error. At each pair, q at or above
/// the upper bound does not lead, else q below the lower bound leads, else the next pair decides.
///
/// * So before each pair the undecided q are an interval: below it all lead, from its end on none does.
///   That holds at the start, when all q are undecided. A pair cuts the interval at its upper bound, from
///   where on nothing leads, and at its lower bound, below which everything does. Either it leaves an
///   interval between these two, or all q are decided, on two sides of one number t. After 1,000 pairs
///   what is undecided does not lead, and t is the lower end.
/// * Hence q leads if and only if q < t. As t is a number of 34 digits, the rounding of q down does not
///   matter: q < t if and only if max/(max - value) < t, exactly, with max = 2^512 (or 2^256).
/// * That is value < max - max/t, so the last value that leads is max - 1 - floor(max/t).
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

    /// The last value of 64 bytes that leads; `None` if none does.
    #[must_use]
    pub fn last_tpraos(&self) -> Option<[u8; 64]> {
        self.tpraos
    }

    /// The last value of 32 bytes that leads; `None` if none does.
    #[must_use]
    pub fn last_praos(&self) -> Option<[u8; 32]> {
        self.praos
    }

    /// A value divided by the last one of its length that leads, to the precision of an `f64`: below 1
    /// the value leads, above 1 it does not, and near 1 only [`leads`](Self::leads) tells. Infinite if
    /// no value leads. For reports, where stake that is slightly wrong shows as margins close to 1.
    #[must_use]
    pub fn margin(&self, value: &LeaderValue) -> f64 {
        margin(value, self.last_like(value).as_ref())
    }

    /// The last value that leads, of the same length as this value.
    #[must_use]
    pub fn last_like(&self, value: &LeaderValue) -> Option<LeaderValue> {
        match value {
            LeaderValue::TPraos(_) => self.tpraos.map(LeaderValue::TPraos),
            LeaderValue::Praos(_) => self.praos.map(LeaderValue::Praos),
        }
    }
}

/// x = -(σ·c), the exponent; `None` if f is 1. The node writes `-fromRational σ * c`, where the sign
/// applies to the product: it is rounded down before its sign changes, so x is rounded up.
fn exponent(stake: Stake, slots: &ActiveSlots) -> Option<Fixed> {
    let sigma = Fixed::ratio(stake.pool(), stake.total());
    Some(-sigma.times(slots.log()?))
}

/// The least 1/(1 - p) that does not lead, if the exponent is x.
fn least_that_does_not_lead(x: &Fixed) -> Fixed {
    // The numbers from `low` on, and below `high`, if there is one, are undecided.
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

/// The last value of `N` bytes whose 1/(1 - p) is below the bound.
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

/// A value divided by the last one that leads.
pub(crate) fn margin(value: &LeaderValue, last: Option<&LeaderValue>) -> f64 {
    match last.map(LeaderValue::fraction) {
        None => f64::INFINITY,
        // The last value that leads is zero.
        Some(0.0) if value.fraction() == 0.0 => 1.0,
        Some(last) => value.fraction() / last,
    }
}
