//! Tests of the search in a batch of equations. With few sums, it must tell which equations do not hold.

use std::ops::Range;

use klero_lanes::{Equations, which_hold};

const LEAST_PART: usize = 4;

/// Equations that say that the integers `values` are zero. `summed` is the total length of all sums so far.
struct Model {
    values: Vec<u64>,
    summed: usize,
    /// The indices of equations that `settle` rejects even in a part whose sum is zero.
    unseen: Vec<usize>,
}

impl Equations for Model {
    type Sum = u64;

    const LEAST_PART: usize = LEAST_PART;

    fn sum(&mut self, part: Range<usize>) -> u64 {
        self.summed += part.len();
        self.values[part].iter().fold(0, |a, b| a.wrapping_add(*b))
    }

    fn minus(&self, a: u64, b: u64) -> u64 {
        a.wrapping_sub(b)
    }

    fn is_zero(&self, sum: u64) -> bool {
        sum == 0
    }

    fn settle(&mut self, part: Range<usize>, held: &mut [bool]) {
        assert!(held.iter().all(|held| !held));
        for (i, held) in part.zip(held) {
            *held = !self.unseen.contains(&i);
        }
    }
}

impl Model {
    fn new(valid: &[bool]) -> Self {
        let values = (1..).zip(valid);
        let values = values.map(|(i, valid)| if *valid { 0 } else { 1 << 32 | i });
        Self {
            values: values.collect(),
            summed: 0,
            unseen: Vec::new(),
        }
    }

    fn search(&mut self) -> Vec<bool> {
        let count = self.values.len();
        let sum = self.sum(0..count);
        which_hold(self, count, sum)
    }
}

/// Searches the equations, then sums those that the search leaves undecided one by one. Asserts that this
/// finds exactly the valid equations, and returns the total length of all sums.
fn summed(valid: &[bool]) -> usize {
    let mut model = Model::new(valid);
    let mut held = model.search();
    if valid.len() > 1 {
        for (i, held) in held.iter_mut().enumerate().filter(|(_, held)| !**held) {
            *held = model.sum(i..i + 1) == 0;
        }
    }
    assert_eq!(held, valid);
    model.summed
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

/// Tests bounds on the total length of all sums: `count` for the sum of all equations, plus `count` for sums
/// of single equations, plus twice the number of equations that the search finds to hold. If exactly one
/// equation does not hold, two and a half times `count`. Each bound allows `2 * LEAST_PART` more.
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

/// Equations that `settle` rejects are not reported as held, and do not let the search make more sums.
#[test]
fn equations_that_no_sum_sees_are_not_held() {
    let mut model = Model::new(&[true; 64]);
    model.unseen = vec![0, 7, 63];
    let held = model.search();
    assert!((0..64).all(|i| held[i] != model.unseen.contains(&i)));
    assert_eq!(model.summed, 64);

    let mut model = Model::new(&(0..64).map(|i| i != 40).collect::<Vec<_>>());
    model.unseen = (0..64).collect();
    assert_eq!(model.search(), [false; 64]);
    assert!(model.summed <= 64 + 3 * LEAST_PART, "{}", model.summed);
}
