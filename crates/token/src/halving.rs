//! Finds the equations that do not hold among many by halving: the sum of all, and where that is not
//! zero, the sum of one half. The sum of the other half is the difference.
//!
//! One equation among many is found in a few sums. Of many that do not hold, halving would make
//! more sums than there are equations, most of them for nothing. So it keeps account: a sum is
//! only made if afterwards, whatever it is, all that is left can still be verified one by one, and
//! everything together costs at most [`MOST`] percent of what it costs to verify one by one from the
//! beginning. The account is a model: see [`Costs`].

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// What everything may cost, in percent of what it costs one by one.
const MOST: u64 = 125;

/// In a sum of more links than this, further links share work and cost less.
const FEW: u64 = 20;

/// What things cost, in tenths of a microsecond on a Zen 4. Only the ratios count, which may differ
/// on other processors; verdicts do not depend on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// Cost of hashing and decoding before any sum, for each link of many equations.
    prepare: u64,
    /// Cost of hashing and decoding, for each link of an equation that is verified alone.
    prepare_alone: u64,
    /// Cost of a sum, however many links it has.
    sum: u64,
    /// Cost of a sum, for each of its first [`FEW`] links.
    link: u64,
    /// Cost of a sum, for each link beyond the first [`FEW`].
    further: u64,
}

impl Costs {
    /// The costs with eight lanes or more.
    pub(crate) const WIDE: Self = Self {
        prepare: 20,
        prepare_alone: 27,
        sum: 195,
        link: 37,
        further: 20,
    };
    /// The costs with four lanes.
    pub(crate) const NARROW: Self = Self {
        prepare: 40,
        prepare_alone: 48,
        sum: 260,
        link: 64,
        further: 36,
    };
    /// The costs of curve25519-dalek, which takes one point after the other.
    pub(crate) const DALEK: Self = Self {
        prepare: 85,
        prepare_alone: 88,
        sum: 220,
        link: 135,
        further: 130,
    };

    /// The cost of a sum of this many links.
    const fn sum_of(self, links: u64) -> u64 {
        let few = if links < FEW { links } else { FEW };
        self.sum + few * self.link + (links - few) * self.further
    }

    /// The cost of a sum for each equation, given the links of each.
    fn sums_of_each(self, links: &[u64]) -> u64 {
        links.iter().map(|&links| self.sum_of(links)).sum()
    }

    /// The cost of everything, if each equation is verified alone.
    fn one_by_one(self, links: &[u64]) -> u64 {
        self.sums_of_each(links) + links.iter().sum::<u64>() * self.prepare_alone
    }

    /// The cost of what comes before the sums, if the equations are verified together.
    fn preparation(self, links: &[u64]) -> u64 {
        links.iter().sum::<u64>() * self.prepare
    }
}

/// Equations, each of which says that something is zero.
pub(crate) trait Equations {
    /// What a sum of equations is.
    type Sum: Copy;

    /// The number of links of each equation.
    fn links(&self) -> impl Iterator<Item = u64>;
    /// What sums cost.
    fn costs(&self) -> Costs;
    /// The sum of some, each with a factor of its own that nobody can know beforehand.
    fn sum(&self, range: Range<usize>) -> Self::Sum;
    fn minus(&self, a: Self::Sum, b: Self::Sum) -> Self::Sum;
    fn is_zero(&self, sum: Self::Sum) -> bool;
}

/// Whether each of the equations holds.
pub(crate) fn verdicts<E: Equations>(equations: &E) -> Vec<bool> {
    let links: Vec<_> = equations.links().collect();
    let (count, costs) = (links.len(), equations.costs());
    let mut search = Search {
        equations,
        costs,
        reserve: costs.sums_of_each(&links),
        budget: costs.one_by_one(&links) * MOST / 100 - costs.preparation(&links),
        verdicts: vec![false; count],
        links,
    };
    if count > 0 {
        search.decide(0..count, None);
    }
    search.verdicts
}

struct Search<'a, E> {
    equations: &'a E,
    /// The number of links of each equation.
    links: Vec<u64>,
    costs: Costs,
    /// What it costs to sum each equation without a verdict by itself.
    reserve: u64,
    /// What may still be spent on sums.
    budget: u64,
    verdicts: Vec<bool>,
}

impl<E: Equations> Search<'_, E> {
    /// Decides a range, whose sum may be known.
    fn decide(&mut self, range: Range<usize>, sum: Option<E::Sum>) {
        let sum = sum.or_else(|| self.sum(&range));
        let holds = sum.is_some_and(|sum| self.equations.is_zero(sum));
        if holds || range.len() == 1 {
            self.reserve -= self.costs.sums_of_each(&self.links[range.clone()]);
            self.verdicts[range].fill(holds);
            return;
        }
        let middle = range.start + range.len() / 2;
        let (left, right) = (range.start..middle, middle..range.end);
        let of_left = sum.and_then(|_| self.sum(&left));
        let of_right = sum
            .zip(of_left)
            .map(|(all, left)| self.equations.minus(all, left));
        self.decide(left, of_left);
        self.decide(right, of_right);
    }

    /// The sum of a range: of one equation always, of several if the account allows it.
    fn sum(&mut self, range: &Range<usize>) -> Option<E::Sum> {
        let cost = self.costs.sum_of(self.links[range.clone()].iter().sum());
        if range.len() > 1 && self.budget < cost + self.reserve {
            return None;
        }
        self.budget = self.budget.saturating_sub(cost);
        Some(self.equations.sum(range.clone()))
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    /// A generator of numbers that look random.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            self.0 >> 16
        }
    }

    /// Equations over the integers, and what was spent on them.
    struct Model {
        costs: Costs,
        links: Vec<u64>,
        values: Vec<u64>,
        spent: Cell<u64>,
    }

    impl Equations for Model {
        type Sum = u64;

        fn links(&self) -> impl Iterator<Item = u64> {
            self.links.iter().copied()
        }

        fn costs(&self) -> Costs {
            self.costs
        }

        fn sum(&self, range: Range<usize>) -> u64 {
            let cost = self.costs.sum_of(self.links[range.clone()].iter().sum());
            self.spent.set(self.spent.get() + cost);
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
    fn percent_of(costs: Costs, links: &[u64], valid: &[bool]) -> u64 {
        let mut random = Random(1);
        let mut value = |valid: &bool| if *valid { 0 } else { random.next() | 1 };
        let model = Model {
            costs,
            links: links.to_vec(),
            values: valid.iter().map(&mut value).collect(),
            spent: Cell::new(costs.preparation(links)),
        };
        assert_eq!(verdicts(&model), valid);
        model.spent.get() * 100 / costs.one_by_one(links).max(1)
    }

    /// The largest over the three costs.
    fn percent(links: &[u64], valid: &[bool]) -> u64 {
        [Costs::WIDE, Costs::NARROW, Costs::DALEK]
            .map(|costs| percent_of(costs, links, valid))
            .into_iter()
            .max()
            .unwrap()
    }

    /// A sequence of verdicts of which about one in `one_in` is not valid.
    fn mixture(count: usize, one_in: u64, seed: u64) -> Vec<bool> {
        let mut random = Random(seed);
        (0..count)
            .map(|_| !random.next().is_multiple_of(one_in))
            .collect()
    }

    /// Equations of one link, of three, of many, of any number, and with one that is far longer.
    fn sizes(count: usize) -> [Vec<u64>; 5] {
        let mut random = Random(count as u64);
        let any = (0..count).map(|_| random.next() % 24 + 1);
        let any = any.collect();
        let one_long = (0..count).map(|i| if i == count / 3 { 500 } else { 2 });
        let one_long = one_long.collect();
        let all = |links| vec![links; count];
        [all(1), all(3), all(24), any, one_long]
    }

    #[test]
    fn never_more_than_a_quarter_above_one_by_one() {
        for count in 1..=64 {
            for links in sizes(count) {
                for one_in in [1, 2, 3, 5, 9, 17, 33, 65, 1000] {
                    for seed in 0..5 {
                        let percent = percent(&links, &mixture(count, one_in, seed));
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
                        assert!(percent(&links, &valid) <= MOST);
                    }
                }
            }
        }
        assert_eq!(percent(&[], &[]), 0);
    }

    #[test]
    fn one_among_many_is_found_by_halving() {
        for place in 0..64 {
            let mut valid = [true; 64];
            valid[place] = false;
            let percent = percent_of(Costs::WIDE, &[3; 64], &valid);
            assert!(percent <= 100, "{place}: {percent} %");
        }
        assert!(percent_of(Costs::WIDE, &[3; 64], &[true; 64]) <= 55);
        assert!(percent_of(Costs::NARROW, &[3; 64], &[true; 64]) <= 55);
    }

    /// Halving to the end, though all are wrong, costs more.
    #[test]
    fn without_an_account_it_would_cost_more() {
        let costs = Costs::WIDE;
        let sums = (0..6).map(|level| (1 << level) * costs.sum_of(3 * (64 >> (level + 1))));
        let all = costs.preparation(&[3; 64]) + costs.sum_of(3 * 64) + sums.sum::<u64>();
        assert!(all * 100 / costs.one_by_one(&[3; 64]) > 145);
        assert!(percent(&[3; 64], &[false; 64]) <= MOST);
    }

    /// The verdict on one equation never depends on the account.
    #[test]
    fn without_a_budget_each_is_summed_by_itself() {
        let (links, valid) = ([3; 5], [true, false, true, true, false]);
        let model = Model {
            costs: Costs::WIDE,
            links: links.to_vec(),
            values: vec![0, 7, 0, 0, 1],
            spent: Cell::new(0),
        };
        let mut search = Search {
            equations: &model,
            links: links.to_vec(),
            costs: Costs::WIDE,
            reserve: Costs::WIDE.sums_of_each(&links),
            budget: 0,
            verdicts: vec![false; 5],
        };
        search.decide(0..5, None);
        assert_eq!(search.verdicts, valid);
    }
}
