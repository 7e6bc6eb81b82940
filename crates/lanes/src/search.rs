//! The search for the equations that hold, among many whose sum is not zero.
//!
//! Each equation says that something is zero, and each has a random factor, so, except by chance,
//! the sum of some equations is zero only if all of them hold. An equation that does not hold is found
//! by smaller and smaller parts: a part is summed, and the sum of the rest is the difference. So this
//! costs about one more sum, wherever the equation is. Parts grow while their equations hold.
//!
//! Where many do not hold, sums would fail for nothing. So sums are limited by the number of
//! equations that they have settled, and the caller tests the rest one by one.
//!
//! All parts share the factors. That does not weaken them: until a wrong equation is accepted,
//! every test has told the truth, so what is tested next depends on the equations alone, from which
//! the factors are hashed. The parts are the nodes of a binary tree whose leaves have
//! [`LEAST_PART`](Equations::LEAST_PART) equations or more, so fewer than `2 * count / LEAST_PART`
//! sums are compared with zero.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Equations that each say that something is zero.
///
/// The example of [`which_hold`] implements it.
pub trait Equations {
    /// The type of a sum of equations.
    type Sum: Copy;

    /// The number of equations in the smallest part that is summed, at least 1: its sum takes less
    /// time than its equations one by one, but not much less.
    const LEAST_PART: usize;

    /// The sum of a part, each equation with a factor of its own that nobody can know beforehand.
    fn sum(&mut self, part: Range<usize>) -> Self::Sum;

    /// The difference of two sums.
    fn minus(&self, a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// True if a sum is zero.
    fn is_zero(&self, sum: Self::Sum) -> bool;

    /// Sets `held` for the equations that hold, in a part whose sum is zero: all of them, unless
    /// there is something that a sum does not see. All are `false` before.
    fn settle(&mut self, part: Range<usize>, held: &mut [bool]) {
        let _ = part;
        held.fill(true);
    }
}

/// True for each of `count` equations that is known to hold, given the sum of all. The others may
/// hold all the same: the caller tests them one by one.
///
/// ```
/// use core::ops::Range;
/// use klero_lanes::{Equations, which_hold};
///
/// /// Integers that should be zero. Their factors would be random.
/// struct Integers([i64; 4]);
///
/// impl Equations for Integers {
///     type Sum = i64;
///     const LEAST_PART: usize = 2;
///     fn sum(&mut self, part: Range<usize>) -> i64 {
///         part.map(|i| (i as i64 + 1) * self.0[i]).sum()
///     }
///     fn minus(&self, a: i64, b: i64) -> i64 {
///         a - b
///     }
///     fn is_zero(&self, sum: i64) -> bool {
///         sum == 0
///     }
/// }
///
/// let mut integers = Integers([0, 0, 7, 0]);
/// let sum = integers.sum(0..4);
/// let held = which_hold(&mut integers, 4, sum);
/// // The last one holds, but shares its part with one that does not.
/// assert_eq!(held, [true, true, false, false]);
/// ```
pub fn which_hold<E: Equations>(equations: &mut E, count: usize, sum: E::Sum) -> Vec<bool> {
    const { assert!(E::LEAST_PART > 0) };
    let mut search = Search {
        equations,
        held: vec![false; count],
        summed: 0,
        settled: 0,
    };
    search.narrow(0..count, sum, E::LEAST_PART);
    search.held
}

struct Search<'e, E> {
    equations: &'e mut E,
    held: Vec<bool>,
    /// The number of equations in parts that were summed.
    summed: usize,
    /// The number of equations that were found to hold.
    settled: usize,
}

impl<E: Equations> Search<'_, E> {
    /// Looks for equations that hold in a part with this sum, by sums of smaller parts, the first of
    /// this size.
    fn narrow(&mut self, part: Range<usize>, sum: E::Sum, size: usize) {
        if self.equations.is_zero(sum) {
            return self.settle(part);
        }
        let size = size.min(part.len() / 2);
        if size < E::LEAST_PART || self.summed + size > 2 * (self.settled + E::LEAST_PART) {
            return;
        }
        let (first, rest) = (part.start..part.start + size, part.start + size..part.end);
        let of_first = self.equations.sum(first.clone());
        let of_rest = self.equations.minus(sum, of_first);
        self.summed += size;
        if self.equations.is_zero(of_first) {
            self.settle(first);
            self.narrow(rest, of_rest, 2 * size);
        } else {
            self.narrow(rest, of_rest, E::LEAST_PART);
            self.narrow(first, of_first, E::LEAST_PART);
        }
    }

    /// Settles the equations of a part whose sum is zero.
    fn settle(&mut self, part: Range<usize>) {
        let held = &mut self.held[part.clone()];
        self.equations.settle(part, held);
        self.settled += held.iter().filter(|held| **held).count();
    }
}
