//! Sums of many terms: their parts, and the whole.

use klero_lanes::Point;
use klero_lanes::unstable::field::Field;
use klero_lanes::unstable::formulas::msm::{Windows, sums_of_windows};
use klero_lanes::unstable::formulas::rows::{AffineRow, prepare};
use klero_lanes::unstable::formulas::scalar::digit_count;
use klero_lanes::unstable::formulas::straus::slices;
use klero_lanes::unstable::formulas::sums::{multiscalar_mul, random_combination};
use klero_lanes::unstable::formulas::{Lanes, alone};

use super::multiples::{Scalar, edges, lifted};
use super::{Random, Tally, pairs};
use crate::faults::stage;
use crate::model::{Index, Model};
use crate::stages::Stages;

/// Random points, any of them.
fn points(model: &Model, random: &mut Random, count: usize) -> Vec<Index> {
    (0..count)
        .map(|_| random.below(model.curve.order) as Index)
        .collect()
}

fn affine_rows(model: &Model, points: &[Index]) -> Vec<Point> {
    points.iter().map(|p| model.affine_row(*p)).collect()
}

/// Σ k·P.
fn sum(model: &Model, terms: impl Iterator<Item = (u64, Index)>) -> Index {
    terms.fold(model.identity, |sum, (k, p)| {
        model.add(sum, model.mul(k, p))
    })
}

/// Σ k·P, where the lowest bits of each k count.
fn sum_of_lowest<K: AsRef<[u8]>>(model: &Model, k: &[K], bits: usize, points: &[Index]) -> Index {
    let terms = k.iter().zip(points);
    sum(
        model,
        terms.map(|(k, p)| (model.reduce(k.as_ref(), bits), *p)),
    )
}

/// The sum of two halves.
fn total(model: &Model, halves: &[Point; 2]) -> Option<Index> {
    let [first, second] = halves.each_ref().map(|half| model.index(half));
    Some(model.add(first?, second?))
}

/// A digit modulo the order.
fn signed(model: &Model, digit: i16) -> u64 {
    (model.curve.order as i64 * 1000 + i64::from(digit)) as u64 % model.curve.order
}

/// Sums of up to a vector of windows, of signed digits; and of unsigned ones, also for each bit.
pub fn windows<F: Field>(model: &Model, tally: &mut Tally) {
    let mut random = Random(17);
    let signed_widths = (3..=8).map(|width| (width, false));
    for (width, unsigned) in signed_widths.chain([(4, true), (8, true)]) {
        for n in [1, 2, 3, 8, 41, 200] {
            for count in 1..=F::LANES {
                let of = points(model, &mut random, n);
                let (levels, bit_sums) = match unsigned {
                    true => ((1 << width) - 1, width),
                    false => (1 << (width - 1), 0),
                };
                let mut digit = |_| {
                    let digit = random.below(levels + 1) as i16;
                    let positive = unsigned || random.below(2) == 0;
                    if positive { digit } else { -digit }
                };
                let digits: Vec<i16> = (0..n * count).map(&mut digit).collect();
                let mut table = vec![AffineRow::IDENTITY; n + 1];
                prepare::<F>(&affine_rows(model, &of), &mut table[..n]);
                let sorted = Windows::sort(&digits, n, levels as usize, n as u32);
                let mut sums = vec![Point::IDENTITY; count];
                let mut bits = vec![Point::IDENTITY; bit_sums * count];
                stage(|| sums_of_windows::<F>(&table, &sorted, &mut sums, &mut bits));
                for (window, digits) in digits.chunks(n).enumerate() {
                    let digits = || of.iter().zip(digits);
                    let expected = sum(model, digits().map(|(p, d)| (signed(model, *d), *p)));
                    tally.case(model.index(&sums[window]) == Some(expected));
                    for bit in 0..bit_sums {
                        let set = digits().map(|(p, d)| ((*d >> bit & 1) as u64, *p));
                        let found = model.index(&bits[window * width + bit]);
                        tally.case(found == Some(sum(model, set)));
                    }
                }
            }
        }
    }
}

/// s·B and the sums of windows, of all widths; all s below the order, and those at the edges.
pub fn horner<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(18);
    let order = model.curve.order;
    let small = (0..4 * order).map(|i| lifted(model, &mut Random(i), i % order, 255));
    for (i, s) in small.chain(edges(255)).enumerate() {
        let width = 3 + i % 6;
        let count = random.below(digit_count(255, width) as u64 + 1) as usize;
        let of = points(model, &mut random, count);
        let rows: Vec<_> = of.iter().map(|p| random.row(model, *p)).collect();
        let mut halves = [Point::IDENTITY; 2];
        let mut unmasked = s;
        unmasked[31] |= 0x80 * (i as u8 % 2);
        stage(|| alone::horner::<F>(&unmasked, &rows, width, &mut halves));
        let places = std::iter::successors(Some(1), |place| Some((place << width) % order));
        let by_s = (model.reduce(&s, 255), model.base);
        let expected = sum(model, places.zip(of).chain([by_s]));
        tally.case(total(model, &halves) == Some(expected));
    }
}

/// One term with every pair of a scalar and a point; up to 40 terms of any length.
pub fn few<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(19);
    let order = model.curve.order;
    let one = pairs(model)
        .into_iter()
        .map(|(k, p)| (vec![p], Some(k as u64)));
    let more = (0..1500).map(|i| (points(model, &mut Random(i), i as usize % 41), None));
    for (i, (of, k)) in one.chain(more).enumerate() {
        let bits = k.map_or(i % 256, |_| 255);
        let mut scalar = |_| {
            let k = k.unwrap_or_else(|| random.below(order));
            lifted(model, &mut random, k, 255)
        };
        let scalars: Vec<Scalar> = of.iter().map(&mut scalar).collect();
        let s = lifted(model, &mut random, i as u64 % order, 255);
        let rows: Vec<_> = of.iter().map(|p| random.row(model, *p)).collect();
        let mut halves = [Point::IDENTITY; 2];
        stage(|| alone::sum_of_few::<F>(&s, &slices(&scalars), bits, &rows, &mut halves));
        let by_s = model.mul(model.reduce(&s, 255), model.base);
        let expected = model.add(sum_of_lowest(model, &scalars, bits, &of), by_s);
        tally.case(total(model, &halves) == Some(expected));
    }
}

/// s·B + Σ k·P for any number of terms, by windows of all widths.
pub fn many<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(20);
    let order = model.curve.order;
    let numbers = [0, 1, 2, 39, 40, 41, 42, 60, 100, 200, 500, 1000, 3000];
    for n in numbers {
        for bits in [1, 8, 64, 127, 128, 252, 253, 255, 256] {
            let of = points(model, &mut random, n);
            let mut edges = edges(255).into_iter().cycle().skip(n + bits);
            let mut scalar = |p: &Index| match p % 2 {
                0 => lifted(model, &mut random, *p as u64, 255),
                _ => edges.next().expect("a cycle"),
            };
            let scalars: Vec<Scalar> = of.iter().map(&mut scalar).collect();
            let k = random.below(order);
            let s = lifted(model, &mut random, k, 255);
            let rows = affine_rows(model, &of);
            let found = stage(|| multiscalar_mul(Stages::<F>::new(), &s, &rows, &scalars, bits));
            let by_s = model.mul(model.reduce(&s, 255), model.base);
            let expected = model.add(sum_of_lowest(model, &scalars, bits.min(255), &of), by_s);
            tally.case(model.index(&found) == Some(expected));
        }
    }
}

/// Σ weight·P, and whether all points are free of torsion: where all are, where one is not, where
/// every second is not.
pub fn combinations<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(21);
    let all = 0..model.points.len();
    let (free, bound): (Vec<_>, Vec<_>) = all.partition(|p| model.torsion_free(*p));
    let mut one_of = |all: &[Index]| all[random.below(all.len() as u64) as usize];
    let mut sets: Vec<Vec<Index>> = Vec::new();
    for n in [0usize, 1, 2, 159, 160, 161, 599, 600, 700] {
        let all_free: Vec<_> = (0..n).map(|_| one_of(&free)).collect();
        for place in [0, n / 2, n.saturating_sub(1)] {
            let mut but_one = all_free.clone();
            if let Some(point) = but_one.get_mut(place) {
                *point = one_of(&bound);
            }
            sets.push(but_one);
        }
        sets.push(all_free);
        let in_turn = |i: usize| one_of([&free[..], &bound[..]][i % 2]);
        sets.push((0..n).map(in_turn).collect());
    }
    // Every point with torsion, alone among others.
    for point in &bound {
        let mut but_one: Vec<_> = (0..160).map(|_| one_of(&free)).collect();
        but_one[*point % 160] = *point;
        sets.push(but_one);
    }
    for of in sets {
        let mut weight = || u128::from(random.next()) << 64 | u128::from(random.next());
        let weights: Vec<_> = of.iter().map(|_| weight().to_le_bytes()).collect();
        let rows = affine_rows(model, &of);
        let (found, all_free) = stage(|| random_combination(Stages::<F>::new(), &rows, &weights));
        let expected = sum_of_lowest(model, &weights, 128, &of);
        tally.case(model.index(&found) == Some(expected));
        tally.case(all_free == of.iter().all(|p| model.torsion_free(*p)));
    }
}
