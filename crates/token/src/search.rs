//! Which equations hold, of many whose sum is not zero.
//!
//! Each equation says that something is zero, and each has a random factor, so the sum of some is
//! zero if and only if all of them hold. One that does not hold is found by smaller and smaller
//! parts: a part is summed, and the sum of the rest is the difference, so that it is found for about
//! the price of one more sum, wherever it is. Parts grow while they hold.
//!
//! Where many do not hold, sums would fail for nothing. So they are limited by the number of equations
//! that they have settled, and what is left is summed one by one.
//!
//! This is the search of klero's batches, over sums of another kind: there a part that holds is
//! tested for torsion as well, which a group of prime order does not have.
//!
//! All parts share the factors. That does not weaken them: until a wrong equation is accepted, every
//! test has told the truth, so the equations, which are what is hashed, decide alone what is tested
//! next. Each of at most 128 tests of 64 equations accepts a wrong one with probability at most
//! 2^-128.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// The equations of the smallest part that is summed: it takes less time than each of them alone,
/// but not much less.
const LEAST_PART: usize = 4;

/// Equations, each of which says that something is zero.
pub(crate) trait Equations {
    /// What a sum of equations is.
    type Sum: Copy;

    /// Their number.
    fn count(&self) -> usize;
    /// The sum of some, each with a factor of its own that nobody can know beforehand.
    fn sum(&self, part: Range<usize>) -> Self::Sum;
    fn minus(&self, a: Self::Sum, b: Self::Sum) -> Self::Sum;
    fn is_zero(&self, sum: Self::Sum) -> bool;
}

/// Whether each of the equations holds.
pub(crate) fn which_hold<E: Equations>(equations: &E) -> Vec<bool> {
    let all = 0..equations.count();
    let mut search = Search {
        equations,
        held: vec![false; all.len()],
        summed: 0,
        settled: 0,
    };
    if !all.is_empty() {
        search.narrow(all.clone(), equations.sum(all), LEAST_PART);
    }
    search.held
}

struct Search<'a, E> {
    equations: &'a E,
    held: Vec<bool>,
    /// The number of equations in parts that were summed.
    summed: usize,
    /// The number of equations that hold.
    settled: usize,
}

impl<E: Equations> Search<'_, E> {
    /// Looks for equations that hold in a part with this sum, by smaller parts of this size to begin
    /// with.
    fn narrow(&mut self, part: Range<usize>, sum: E::Sum, size: usize) {
        if self.equations.is_zero(sum) {
            self.settled += part.len();
            self.held[part].fill(true);
            return;
        }
        let size = size.min(part.len() / 2);
        if size < LEAST_PART || self.summed + size > 2 * (self.settled + LEAST_PART) {
            return self.one_by_one(part);
        }
        let (first, rest) = (part.start..part.start + size, part.start + size..part.end);
        let of_first = self.equations.sum(first.clone());
        let of_rest = self.equations.minus(sum, of_first);
        self.summed += size;
        if self.equations.is_zero(of_first) {
            self.narrow(first, of_first, size);
            self.narrow(rest, of_rest, 2 * size);
        } else {
            self.narrow(rest, of_rest, LEAST_PART);
            self.narrow(first, of_first, LEAST_PART);
        }
    }

    /// The sum of a part is not zero: that of one equation is the verdict.
    fn one_by_one(&mut self, part: Range<usize>) {
        if part.len() == 1 {
            return;
        }
        for i in part {
            let sum = self.equations.sum(i..i + 1);
            self.held[i] = self.equations.is_zero(sum);
            self.settled += usize::from(self.held[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    /// Equations over the integers, and the number of equations in the sums that were made.
    struct Model {
        values: Vec<u64>,
        summed: Cell<usize>,
    }

    impl Equations for Model {
        type Sum = u64;

        fn count(&self) -> usize {
            self.values.len()
        }

        fn sum(&self, part: Range<usize>) -> u64 {
            self.summed.set(self.summed.get() + part.len());
            self.values[part].iter().fold(0, |a, b| a.wrapping_add(*b))
        }

        fn minus(&self, a: u64, b: u64) -> u64 {
            a.wrapping_sub(b)
        }

        fn is_zero(&self, sum: u64) -> bool {
            sum == 0
        }
    }

    /// The number of equations in all sums that find out which of these hold.
    fn summed(valid: &[bool]) -> usize {
        let values = (1..).zip(valid);
        let values = values.map(|(i, valid)| if *valid { 0 } else { 1 << 32 | i });
        let model = Model {
            values: values.collect(),
            summed: Cell::new(0),
        };
        assert_eq!(which_hold(&model), valid);
        model.summed.get()
    }

    #[test]
    fn every_pattern_of_a_few() {
        for count in 0..14 {
            for pattern in 0..1u32 << count {
                let valid: Vec<_> = (0..count).map(|i| pattern >> i & 1 == 0).collect();
                summed(&valid);
            }
        }
    }

    /// One that does not hold costs little more than one more sum; whatever does not hold, all sums
    /// together have at most as many equations as those of all, of all one by one, and twice those that
    /// are settled.
    #[test]
    fn sums_are_few() {
        for count in 1..=64 {
            assert_eq!(summed(&vec![true; count]), count);
            let most = 4 * count + 2 * LEAST_PART;
            for one_in in 1..=count {
                for offset in 0..one_in {
                    let valid: Vec<_> = (0..count).map(|i| (i + offset) % one_in != 0).collect();
                    assert!(summed(&valid) <= most, "{count}, 1 in {one_in}");
                }
            }
            let one = (0..count).map(|place| {
                let valid: Vec<_> = (0..count).map(|i| i != place).collect();
                summed(&valid)
            });
            assert!(
                one.max().unwrap() <= 5 * count / 2 + 2 * LEAST_PART,
                "{count}"
            );
            assert!(summed(&vec![false; count]) <= 2 * count + 2 * LEAST_PART);
        }
    }
}
