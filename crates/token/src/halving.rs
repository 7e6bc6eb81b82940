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

/// What it costs before any sum, hashing and decoding, for each of many equations,
const PREPARE: usize = 6;
/// and for one alone. The unit is a microsecond on one processor; on others the ratios are similar.
const PREPARE_ALONE: usize = 10;

/// What everything may cost, in percent of what it costs one by one: less than the 130 that are
/// promised, for the account is a model.
const MOST: usize = 125;

/// What a sum costs, and each equation in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    sum: usize,
    equation: usize,
}

impl Costs {
    /// With eight lanes, or more.
    pub(crate) const WIDE: Self = Self {
        sum: 20,
        equation: 11,
    };
    /// With fewer, a sum of many saves less.
    pub(crate) const NARROW: Self = Self {
        sum: 19,
        equation: 12,
    };

    const fn of(self, equations: usize) -> usize {
        self.sum + equations * self.equation
    }

    /// What it costs to verify this many one by one.
    const fn one_by_one(self, equations: usize) -> usize {
        (PREPARE_ALONE + self.of(1)) * equations
    }
}

/// Equations, each of which says that something is zero.
pub(crate) trait Equations {
    /// What a sum of equations is.
    type Sum: Copy;

    /// The number of equations.
    fn count(&self) -> usize;
    /// What sums cost.
    fn costs(&self) -> Costs;
    /// The sum of some, each with a factor of its own that nobody can know beforehand.
    fn sum(&self, range: Range<usize>) -> Self::Sum;
    fn minus(&self, a: Self::Sum, b: Self::Sum) -> Self::Sum;
    fn is_zero(&self, sum: Self::Sum) -> bool;
}

/// Whether each of the equations holds.
pub(crate) fn verdicts<E: Equations>(equations: &E) -> Vec<bool> {
    let (count, costs) = (equations.count(), equations.costs());
    let mut search = Search {
        equations,
        costs,
        undecided: count,
        budget: costs.one_by_one(count) * MOST / 100 - PREPARE * count,
        verdicts: vec![false; count],
    };
    if count > 0 {
        search.decide(0..count, None);
    }
    search.verdicts
}

struct Search<'a, E> {
    equations: &'a E,
    costs: Costs,
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
        let afterwards = match count {
            1 => 0,
            _ => self.undecided * self.costs.of(1),
        };
        let cost = self.costs.of(count);
        self.budget = self.budget.checked_sub(cost + afterwards)? + afterwards;
        Some(self.equations.sum(range.clone()))
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    /// Equations over the integers, and what was spent on them.
    struct Model {
        costs: Costs,
        values: Vec<u64>,
        spent: Cell<usize>,
    }

    impl Equations for Model {
        type Sum = u64;

        fn count(&self) -> usize {
            self.values.len()
        }

        fn costs(&self) -> Costs {
            self.costs
        }

        fn sum(&self, range: Range<usize>) -> u64 {
            self.spent
                .set(self.spent.get() + self.costs.of(range.len()));
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
    fn percent_of(costs: Costs, valid: &[bool]) -> usize {
        let mut state = 1u64;
        let mut value = |valid: &bool| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if *valid { 0 } else { state | 1 }
        };
        let model = Model {
            costs,
            values: valid.iter().map(&mut value).collect(),
            spent: Cell::new(PREPARE * valid.len()),
        };
        assert_eq!(verdicts(&model), valid);
        model.spent.get() * 100 / costs.one_by_one(valid.len().max(1))
    }

    /// The larger of both.
    fn percent(valid: &[bool]) -> usize {
        [Costs::WIDE, Costs::NARROW]
            .map(|costs| percent_of(costs, valid))
            .into_iter()
            .max()
            .unwrap()
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
    fn never_more_than_a_quarter_above_one_by_one() {
        for count in 1..=64 {
            for one_in in [1, 2, 3, 5, 9, 17, 33, 65, 1000] {
                for seed in 0..20 {
                    let percent = percent(&mixture(count, one_in, seed));
                    assert!(percent <= MOST, "{count}, 1 in {one_in}: {percent} %");
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
                    assert!(percent(&valid) <= MOST);
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
            let percent = percent_of(Costs::WIDE, &valid);
            assert!(percent <= 100, "{place}: {percent} %");
        }
        assert!(percent_of(Costs::WIDE, &[true; 64]) <= 50);
        assert!(percent(&[true; 64]) <= 60);
    }

    /// Halving to the end, though all are wrong, costs more.
    #[test]
    fn without_an_account_it_would_cost_more() {
        let costs = Costs::WIDE;
        let sums = (0..6).map(|level| (1 << level) * costs.of(64 >> (level + 1)));
        let all = PREPARE * 64 + costs.of(64) + sums.sum::<usize>();
        assert!(all * 100 / costs.one_by_one(64) > 160);
        assert!(percent(&[false; 64]) <= MOST);
    }
}
