//! How many division steps an inversion needs, for all inputs at once.
//!
//! klero-lanes takes a fixed number of division steps from (f, g) = (p, x) on, whatever x is. That
//! suffices if g is 0 after them for every x. Here a *set* of pairs takes the steps: for each counter
//! δ a polygon that contains all pairs that can have this δ. A step may treat any pair as if its g
//! were odd or even, so it takes a polygon to one or two others by linear maps. The polygons shrink.
//! Once one of them has no pair with |g| of 1 or more, all of its integers have g = 0, and it is left
//! out. When none is left, the steps suffice (Wuille, "Bounds on divsteps iterations in safegcd",
//! 2021).
//!
//! Corners are exact: after n steps they are 2^n times what they stand for.

use std::collections::BTreeMap;

use klero_lanes::unstable::field::{DIVISION_STEPS, STEPS_PER_MATRIX};
use num_bigint::{BigInt, BigUint};

type Corner = [BigInt; 2];

/// Twice what a step does to a pair.
type Twice = fn(&Corner) -> Corner;

/// The steps that suffice for p, if klero-lanes takes as many, and not if it applied one matrix less.
/// For pairs of few bits the method is compared with each of them.
pub fn check() -> Result<String, String> {
    for bits in 1..=8 {
        let of_f = |f: i64| (0..=f).map(move |g| needed(f, g));
        let most = (1..1 << bits).step_by(2).flat_map(of_f).max();
        let suffice = steps_that_suffice(bits);
        if most > Some(suffice) {
            return Err(format!("{suffice} steps do not suffice for {bits} bits"));
        }
    }
    let suffice = steps_that_suffice(255);
    match DIVISION_STEPS {
        taken if taken < suffice => Err(format!("{taken} of {suffice} steps are taken")),
        taken if taken - STEPS_PER_MATRIX >= suffice => Err(format!(
            "a matrix less than {taken} steps is not found too few"
        )),
        taken => Ok(format!(
            "Inversion takes {taken} division steps. {suffice} suffice for every element."
        )),
    }
}

/// The steps until g is 0, from one pair on.
fn needed(f: i64, g: i64) -> usize {
    let mut pair = [f, g].map(BigInt::from);
    let (mut twice_delta, mut steps) = (1, 0);
    while pair[1] != BigInt::ZERO {
        let [even, odd] = branches(twice_delta);
        let (to, twice) = if pair[1].bit(0) { odd } else { even };
        (twice_delta, pair) = (to, twice(&pair).map(|x| x / 2));
        steps += 1;
    }
    steps
}

/// The division steps after which g is 0, from every f from 1 to 2^bits and g from 0 to f on, for the
/// counter that starts at 1/2.
fn steps_that_suffice(bits: u32) -> usize {
    let f = BigInt::from(1) << bits;
    let start = [[f.clone(), f.clone()], [f, BigInt::ZERO]];
    // By twice δ.
    let mut polygons = BTreeMap::from([(1, convex(&start))]);
    for steps in 1_usize.. {
        let mut after: BTreeMap<i32, Vec<Corner>> = BTreeMap::new();
        for (twice_delta, polygon) in polygons {
            for (twice_delta, twice) in branches(twice_delta) {
                let corners = polygon.iter().map(twice);
                after.entry(twice_delta).or_default().extend(corners);
            }
        }
        let one = BigUint::from(1u8) << steps;
        after.retain(|_, corners| corners.iter().any(|[_, g]| *g.magnitude() >= one));
        if after.is_empty() {
            return steps;
        }
        polygons = after
            .into_iter()
            .map(|(delta, corners)| (delta, convex(&corners)))
            .collect();
    }
    unreachable!("the loop has no end")
}

/// Where a step leads: twice δ, and twice the pair.
fn branches(twice_delta: i32) -> [(i32, Twice); 2] {
    let even: (i32, Twice) = (twice_delta + 2, |[f, g]| [f << 1, g.clone()]);
    let odd: (i32, Twice) = if twice_delta > 0 {
        (2 - twice_delta, |[f, g]| [g << 1, g - f])
    } else {
        (twice_delta + 2, |[f, g]| [f << 1, g + f])
    };
    [even, odd]
}

/// Half of the corners of the least convex polygon that contains each P of these and -P (Andrew,
/// 1979). The other half are their negatives.
fn convex(points: &[Corner]) -> Vec<Corner> {
    let mut points: Vec<Corner> = points
        .iter()
        .flat_map(|[f, g]| [[-f, -g], [f.clone(), g.clone()]])
        .collect();
    points.sort_unstable();
    points.dedup();
    let mut half: Vec<Corner> = Vec::new();
    for point in points {
        while let [.., before, last] = &half[..]
            && !turns_left(before, last, &point)
        {
            half.pop();
        }
        half.push(point);
    }
    half.pop();
    half
}

fn turns_left([af, ag]: &Corner, [bf, bg]: &Corner, [cf, cg]: &Corner) -> bool {
    (bf - af) * (cg - bg) > (bg - ag) * (cf - bf)
}
