//! Logarithm and exponential, as `Cardano.Ledger.NonIntegral` computes them.
//!
//! The results are not correct to all 34 digits. They must have the node's errors, in every digit. So each
//! function follows a function of the node step by step. Each comment gives the name of the node's function.

use core::iter;

use crate::fixed::Fixed;

/// The number of steps after which the node ends any series.
const STEPS: usize = 1000;

/// `eps`, 10^-24. A Taylor series ends at a term below 10^-24, a continued fraction at a change below 10^-24.
fn epsilon() -> Fixed {
    Fixed::ratio(1, 10u128.pow(24))
}

/// `ln'`: the logarithm of a positive number. `None` if the node stops with an error. This happens for some
/// numbers that differ by only a few 10^-34 from a power of 1/e, because rounding moves them to the other
/// side of that power.
pub(crate) fn ln(x: &Fixed) -> Option<Fixed> {
    let e = exp_1();
    let n = floor_of_ln(&e, x);
    let rest = &x.over(&power(&e, n)) - &Fixed::int(1);
    (rest >= Fixed::int(0)).then(|| &Fixed::int(n) + &ln_1_plus(&rest))
}

/// `exp' 1`: e by its Taylor series, which ends before the first term below epsilon.
fn exp_1() -> Fixed {
    let (mut term, mut sum) = (Fixed::int(1), Fixed::int(1));
    for n in 1..STEPS as u32 {
        term = term.over_int(n);
        if term < epsilon() {
            break;
        }
        sum = &sum + &term;
    }
    sum
}

/// `ipow`: x^n by repeated squaring.
fn power(x: &Fixed, n: i64) -> Fixed {
    match n {
        0 => Fixed::int(1),
        _ if n < 0 => Fixed::int(1).over(&power(x, -n)),
        _ if n % 2 == 0 => {
            let root = power(x, n / 2);
            root.times(&root)
        }
        _ => x.times(&power(x, n - 1)),
    }
}

/// `findE`: the n with e^n <= x < e^(n+1). The node's `bound` doubles an interval of exponents until it
/// contains n. Then its `contract` halves the interval until only n is left.
fn floor_of_ln(e: &Fixed, x: &Fixed) -> i64 {
    let (mut low, mut high) = (-1, 1);
    let (mut least, mut most) = (Fixed::int(1).over(e), e.clone());
    while !(least <= *x && *x <= most) {
        (least, most) = (least.times(&least), most.times(&most));
        (low, high) = (2 * low, 2 * high);
    }
    while low + 1 != high {
        let middle = low + (high - low) / 2;
        match *x < power(e, middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    low
}

/// `lncf`: ln(1 + x) by a continued fraction, for x that is not negative. The partial numerators are x, x, x,
/// 4x, 4x, 9x, 9x ..., and the partial denominators are 1, 2, 3 ... The fraction ends at the first convergent
/// that differs from the convergent before it by less than epsilon.
fn ln_1_plus(x: &Fixed) -> Fixed {
    let squares = (1u32..).flat_map(|k| [k * k; 2]);
    let numerators = iter::once(x.clone()).chain(squares.map(|square| x.times_int(square)));
    // The last two convergents, each as its numerator and its denominator.
    let mut before = (Fixed::int(1), Fixed::int(0));
    let mut last = (Fixed::int(0), Fixed::int(1));
    let mut convergent: Option<Fixed> = None;
    for (a, b) in numerators.zip(1u32..).take(STEPS + 1) {
        let next = (
            &last.0.times_int(b) + &a.times(&before.0),
            &last.1.times_int(b) + &a.times(&before.1),
        );
        let now = next.0.over(&next.1);
        let near = convergent.is_some_and(|last| (&last - &now).abs() < epsilon());
        convergent = Some(now);
        if near {
            break;
        }
        (before, last) = (last, next);
    }
    convergent.expect("there is a first convergent")
}

/// The bounds of `taylorExpCmp 3`, in pairs. For each partial sum of the Taylor series of exp(x), the bounds
/// are the sum minus and plus an error that the node allows for, which is three times the next term. A number
/// at or above the upper bound counts as above exp(x). A number below the lower bound counts as below exp(x).
/// For other numbers, the next pair decides. There are at most 1,000 pairs.
///
/// Up to x = ln 3, the error is so large that exp(x) lies between the bounds. A greater x occurs only if f is
/// above 2/3. Then exp(x) may be above the first upper bounds, but the node still decides by them.
pub(crate) fn exp_bounds(x: &Fixed) -> impl Iterator<Item = (Fixed, Fixed)> {
    let (mut term, mut sum) = (x.clone(), Fixed::int(1));
    (2u32..).take(STEPS).map(move |divisor| {
        sum = &sum + &term;
        term = term.times(x).over_int(divisor);
        let error = term.times_int(3).abs();
        (&sum - &error, &sum + &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms() {
        // These digits come from a third implementation. The exact logarithms differ from the 24th digit on.
        for (x, units) in [
            ((19, 20), -512_932_943_875_505_334_261_962_382_072_846_i128),
            ((1, 2), -6_931_471_805_599_453_094_172_321_354_910_343),
            ((1, 10), -23_025_850_929_940_456_840_179_914_546_146_134),
        ] {
            assert_eq!(
                ln(&Fixed::ratio(x.0, x.1)),
                Some(Fixed(units.into())),
                "{x:?}"
            );
        }
        assert_eq!(ln(&Fixed::int(1)), Some(Fixed::int(0)));
    }
}
