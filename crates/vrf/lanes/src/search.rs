//! The search for the equations that hold, in a batch whose sum is not zero.
//!
//! Each equation says that a value is zero. A sum of equations adds up their values, each multiplied by a
//! random factor. So, except by chance, the sum is zero only if all these equations hold. To find an equation
//! that does not hold, the batch is divided into two parts, and these are divided again and again. Each time,
//! the first part is summed, and the sum of the second part follows by subtraction. All these sums together
//! cost about as much as one more sum of the batch, wherever the equation is. If all equations of a first
//! part hold, the next first part may be twice as long.
//!
//! If many equations do not hold, most sums would be wasted. So the total length of all summed parts is
//! limited. The limit grows with the number of equations found to hold. The caller tests the others one by
//! one.
//!
//! All sums use the same factors. This does not weaken the test. As long as no wrong equation is accepted,
//! each sum is zero exactly if all its equations hold. So the choice of the parts depends on the equations
//! only, not on the factors. The parts are the nodes of a binary tree, and each leaf has at least
//! [`LEAST_PART`](Equations::LEAST_PART) equations. So fewer than `2 * count / LEAST_PART` different sums are
//! compared with zero. A batch shorter than `LEAST_PART` is not divided, and only its own sum is compared.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// A list of equations. Each equation says that a value is zero.
///
/// The example of [`which_hold`] implements this trait.
pub trait Equations {
    /// The type of a sum of equations.
    type Sum: Copy;

    /// The number of equations in the smallest part that is summed, at least 1. Summing such a part
    /// should take less time than testing its equations one by one, but not much less.
    const LEAST_PART: usize;

    /// The sum of a part. Each equation has its own factor, which nobody can know beforehand.
    fn sum(&mut self, part: Range<usize>) -> Self::Sum;

    /// The difference of two sums.
    fn minus(&self, a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// True if a sum is zero.
    fn is_zero(&self, sum: Self::Sum) -> bool;

    /// Sets the entries of `held`, which are all false before the call, to true for the equations that hold.
    /// The sum of the part is zero. By default, all equations of the part hold. An implementation can also
    /// test properties that the sum does not cover, and leave entries false.
    fn settle(&mut self, part: Range<usize>, held: &mut [bool]) {
        let _ = part;
        held.fill(true);
    }
}

/// Searches `count` equations, given the sum of all of them. Returns true for each equation that is known to
/// hold. The other equations may hold too, so the caller tests them one by one.
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
    /// The total number of equations in the parts that were summed.
    summed: usize,
    /// The number of equations that were found to hold.
    settled: usize,
}

impl<E: Equations> Search<'_, E> {
    /// Searches a part, whose sum is given, for equations that hold. If the sum is not zero, divides the part
    /// and searches both of its parts, unless they would be too short or the limit is reached. The first of
    /// the two has at most `size` equations.
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
