//! Thresholds that are estimated in floating point. An estimate is enough for almost every honest value.
//!
//! A pool leads if p < 1 - (1-f)^σ. The node computes this to more than 20 digits. If a value is below the
//! threshold by more than one part in a billion, though, 53 bits are enough to decide that the value leads.
//! For all other values, the exact threshold is needed, which takes some ten microseconds.
//!
//! The following errors, given relative to the threshold t, are neglected:
//!
//! * the rounding of f, σ, ln, exp and p: below 10^-12 if f is at most 0.999 (the subtraction 1-f magnifies
//!   the rounding of f by 1/(1-f));
//! * the error of the node's c = ln(1-f): 10^-18 if f is at least 10^-6 (its absolute value is about 10^-24);
//! * the node's roundings of σ·c and of 1/(1-p): 10^-13 if t is at least 10^-20 (their absolute values are
//!   a few 10^-34 each).
//!
//! The node's comparison takes 3 as an upper bound of e^x. This is true for exponents x up to 1, for which
//! the comparison ends long before 1,000 terms. Outside of these ranges of f, t and x, there is no estimate.

use crate::slots::ActiveSlots;
use crate::stake::Stake;
use crate::value::LeaderValue;

/// The relative error that an estimate allows for. The actual error is far smaller.
const MARGIN: f64 = 1e-9;

/// The approximate threshold of a pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate(f64);

impl Estimate {
    /// Returns the estimate for this stake; `None` if it would not be exact enough.
    pub(crate) fn new(stake: Stake, slots: &ActiveSlots) -> Option<Estimate> {
        let f = slots.numerator() as f64 / slots.denominator() as f64;
        let sigma = stake.pool() as f64 / stake.total() as f64;
        let exponent = -sigma * libm::log1p(-f);
        let threshold = -libm::expm1(-exponent);
        let is_exact = (1e-6..=0.999).contains(&f) && exponent <= 1.0 && threshold >= 1e-20;
        is_exact.then_some(Estimate(threshold))
    }

    /// Returns the value divided by the threshold if the value surely leads. Otherwise, returns `None`.
    pub(crate) fn leads(self, value: &LeaderValue) -> Option<f64> {
        let margin = value.fraction() / self.0;
        (margin < 1.0 - MARGIN).then_some(margin)
    }
}
