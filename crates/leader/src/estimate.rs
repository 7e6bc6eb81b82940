//! Thresholds estimated with the processor's own arithmetic, which decides almost every honest value.
//!
//! A pool leads if p < 1 - (1-f)^σ, and the node decides this to more than 20 digits. So numbers of 53
//! bits decide that a value leads if it is below the threshold by more than one part in a billion. The
//! exact threshold, which takes some ten microseconds, is needed only for other values.
//!
//! The errors that are neglected, relative to the threshold t: the rounding of f, σ, ln, exp and p,
//! below 10^-12 for f of at most 0.999, as 1-f magnifies the rounding of f by 1/(1-f); the error
//! of the node's c, about 10^-24, so 10^-18 for f of at least 10^-6; the node's roundings of σ·c
//! and of 1/(1-p), a few 10^-34 each, so 10^-13 for t of at least 10^-20. The node's comparison
//! with a bound of 3 is right for exponents up to 1, where e^x is below 3, and is decided there
//! long before 1,000 terms. Outside of these ranges there is no estimate.

use crate::slots::ActiveSlots;
use crate::stake::Stake;
use crate::value::LeaderValue;

/// The relative error that an estimate allows for; the actual error is far smaller.
const MARGIN: f64 = 1e-9;

/// The threshold of a pool, approximately.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate(f64);

impl Estimate {
    /// The estimate for this stake; `None` where it would not be exact enough.
    pub(crate) fn new(stake: Stake, slots: &ActiveSlots) -> Option<Estimate> {
        let f = slots.numerator() as f64 / slots.denominator() as f64;
        let sigma = stake.pool() as f64 / stake.total() as f64;
        let exponent = -sigma * libm::log1p(-f);
        let threshold = -libm::expm1(-exponent);
        let is_exact = (1e-6..=0.999).contains(&f) && exponent <= 1.0 && threshold >= 1e-20;
        is_exact.then_some(Estimate(threshold))
    }

    /// The value divided by the threshold; `None` unless the value surely leads.
    pub(crate) fn leads(self, value: &LeaderValue) -> Option<f64> {
        let margin = value.fraction() / self.0;
        (margin < 1.0 - MARGIN).then_some(margin)
    }
}
