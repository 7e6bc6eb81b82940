//! Finds the equations that do not hold among many by halving: the sum of all, and where that is not
//! zero, the sum of one half. The sum of the other half is the difference.
//!
//! One equation among many is found in a few sums. Of many that do not hold, halving would make
//! more sums than there are equations, most of them for nothing. So it keeps account: a sum is
//! only made if afterwards, whatever it is, all that is left can still be verified one by one, and
//! everything together costs at most 1.3 times what it costs to verify one by one from the
//! beginning.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// What a sum costs. The unit is a microsecond on one processor; on others the ratios are similar.
const SUM: usize = 19;
/// What each equation in a sum costs.
const EQUATION: usize = 10;
/// What it costs before any sum, hashing and decoding, for each of many equations,
const PREPARE: usize = 6;
/// and for one alone.
const PREPARE_ALONE: usize = 10;

/// What a sum of this many equations costs.
const fn cost(equations: usize) -> usize {
    SUM + equations * EQUATION
}

/// Equations, each of which says that something is zero.
pub(crate) trait Equations {
    /// What a sum of equations is.
    type Sum: Copy;

    /// The number of equations.
    fn count(&self) -> usize;
    /// The sum of some, each with a factor of its own that nobody can know beforehand.
    fn sum(&self, range: Range<usize>) -> Self::Sum;
    fn minus(&self, a: Self::Sum, b: Self::Sum) -> Self::Sum;
    fn is_zero(&self, sum: Self::Sum) -> bool;
}

/// Whether each of the equations holds.
pub(crate) fn verdicts<E: Equations>(equations: &E) -> Vec<bool> {
    let count = equations.count();
    let mut search = Search {
        equations,
        undecided: count,
        budget: (PREPARE_ALONE + cost(1)) * count * 13 / 10 - PREPARE * count,
        verdicts: vec![false; count],
    };
    if count > 0 {
        search.decide(0..count, None);
    }
    search.verdicts
}

struct Search<'a, E> {
    equations: &'a E,
    /// The number of equations without a verdict.
    undecided: usize,
    /// What may still be spent.
    budget: usize,
    verdicts: Vec<bool>,
}

impl<E: Equations> Search<'_, E> {
    /// Decides a range, whose sum may be known.
    fn decide(&mut self, range: Range<usize>, sum: Option<E::Sum>) {
        let count = range.len();
        let sum = sum.or_else(|| self.sum(&range));
        let holds = sum.is_some_and(|sum| self.equations.is_zero(sum));
        if holds || count == 1 {
            self.verdicts[range].fill(holds);
            self.undecided -= count;
            return;
        }
        let middle = range.start + count / 2;
        let (left, right) = (range.start..middle, middle..range.end);
        let of_left = sum.and_then(|_| self.sum(&left));
        let of_right = sum
            .zip(of_left)
            .map(|(all, left)| self.equations.minus(all, left));
        self.decide(left, of_left);
        self.decide(right, of_right);
    }

    /// The sum of a range, if the account allows it.
    fn sum(&mut self, range: &Range<usize>) -> Option<E::Sum> {
        let count = range.len();
        let afterwards = if count == 1 {
            0
        } else {
            self.undecided * cost(1)
        };
        self.budget = self.budget.checked_sub(cost(count) + afterwards)? + afterwards;
        Some(self.equations.sum(range.clone()))
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    /// Equations over the integers, and what was spent on them.
    struct Model {
        values: Vec<u64>,
        spent: Cell<usize>,
    }

    impl Equations for Model {
        type Sum = u64;

        fn count(&self) -> usize {
            self.values.len()
        }

        fn sum(&self, range: Range<usize>) -> u64 {
            self.spent.set(self.spent.get() + cost(range.len()));
            self.values[range].iter().fold(0, |a, b| a.wrapping_add(*b))
        }

        fn minus(&self, a: u64, b: u64) -> u64 {
            a.wrapping_sub(b)
        }

        fn is_zero(&self, sum: u64) -> bool {
            sum == 0
        }
    }

    /// What it costs to verify equations of which some hold, in percent of one by one.
    fn percent(valid: &[bool]) -> usize {
        let mut state = 1u64;
        let mut value = |valid: &bool| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if *valid { 0 } else { state | 1 }
        };
        let model = Model {
            values: valid.iter().map(&mut value).collect(),
            spent: Cell::new(PREPARE * valid.len()),
        };
        assert_eq!(verdicts(&model), valid);
        model.spent.get() * 100 / ((PREPARE_ALONE + cost(1)) * valid.len().max(1))
    }

    /// A sequence of verdicts of which about one in `one_in` is not valid.
    fn mixture(count: usize, one_in: u64, seed: u64) -> Vec<bool> {
        let mut state = seed * 2 + 1;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            !(state >> 33).is_multiple_of(one_in)
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn never_more_than_three_tenths_above_one_by_one() {
        for count in 1..=64 {
            for one_in in [1, 2, 3, 5, 9, 17, 33, 65, 1000] {
                for seed in 0..20 {
                    let percent = percent(&mixture(count, one_in, seed));
                    assert!(percent <= 130, "{count}, 1 in {one_in}: {percent} %");
                }
            }
            // Any number of them, at the end, at the beginning, and evenly spread.
            for bad in 0..=count {
                let patterns: [&dyn Fn(usize) -> bool; 3] =
                    [&|i| i < count - bad, &|i| i >= bad, &|i| {
                        (i * bad) / count == ((i + 1) * bad) / count
                    }];
                for valid in patterns {
                    let valid: Vec<_> = (0..count).map(valid).collect();
                    assert!(percent(&valid) <= 130);
                }
            }
        }
        assert_eq!(percent(&[]), 0);
    }

    #[test]
    fn one_among_many_is_found_by_halving() {
        for place in 0..64 {
            let mut valid = [true; 64];
            valid[place] = false;
            assert!(percent(&valid) <= 95, "{place}: {} %", percent(&valid));
        }
        assert!(percent(&[true; 64]) <= 45);
    }

    /// Halving to the end makes all verdicts cost more than twice as much.
    #[test]
    fn without_an_account_it_would_cost_more() {
        let sums = (0..6).map(|level| (1 << level) * cost(64 >> (level + 1)));
        let all = PREPARE * 64 + cost(64) + sums.sum::<usize>();
        assert!(all * 100 / ((PREPARE_ALONE + cost(1)) * 64) > 160);
        assert!(percent(&[false; 64]) <= 130);
    }
}
