//! Multiples of points: every pair of a point and a scalar below the order, half of the scalars with
//! a random multiple of the order on top, so that every digit is met; and scalars at the edges of
//! digits.

use klero_lanes::unstable::field::Field;
use klero_lanes::unstable::formulas::encoding::normalize;
use klero_lanes::unstable::formulas::known::{self, MULTIPLES};
use klero_lanes::unstable::formulas::rows::{AffineRow, prepare};
use klero_lanes::unstable::formulas::small_multiples::sub_small_multiple;
use klero_lanes::unstable::formulas::straus::{self, Multipliers, slices};
use klero_lanes::unstable::formulas::{Lanes, alone, base_comb, comb};
use klero_lanes::{KnownPoint, Point};

use super::{Random, Tally, batches, pairs};
use crate::faults::stage;
use crate::model::{Index, Model};

pub type Scalar = [u8; 32];

/// The multipliers of two points, and the points.
struct Case {
    s: Scalar,
    h: Index,
    m: Scalar,
    p: Index,
}

/// k plus a random multiple of the order, below 2^bits.
pub fn lifted(model: &Model, random: &mut Random, k: u64, bits: usize) -> Scalar {
    let mut multiple = [0; 32];
    for eight in multiple.as_chunks_mut::<8>().0 {
        *eight = random.next().to_le_bytes();
    }
    keep(&mut multiple, bits - 8);
    let mut carry = k;
    multiple.map(|byte| {
        carry += u64::from(byte) * model.curve.order;
        let byte = carry as u8;
        carry >>= 8;
        byte
    })
}

/// Clears all but the lowest bits.
fn keep(scalar: &mut Scalar, bits: usize) {
    for i in bits..256 {
        scalar[i / 8] &= !(1 << (i % 8));
    }
}

/// Powers of 2 and their neighbours, and bits that make the largest digits of every width.
pub fn edges(bits: usize) -> Vec<Scalar> {
    let mut all = Vec::new();
    for i in 0..bits {
        let (mut power, mut below, mut above) = ([0; 32], [0xff; 32], [0xff; 32]);
        power[i / 8] = 1 << (i % 8);
        keep(&mut below, i);
        keep(&mut above, bits);
        for (above, below) in above.iter_mut().zip(&below) {
            *above ^= below;
        }
        all.extend([power, below, above]);
    }
    for width in 2..=8 {
        for start in 0..width {
            let mut halves = [0; 32];
            for i in (start..bits).step_by(width) {
                halves[i / 8] |= 1 << (i % 8);
            }
            let mut less = halves.map(|byte: u8| !byte);
            keep(&mut less, bits);
            all.extend([halves, less]);
        }
    }
    all
}

/// Multipliers s below 2^s_bits and m below 2^m_bits; in half of the cases bits above those are set,
/// which must not count. Each two of m, P, and s modulo the order meet.
fn cases<F: Field>(model: &Model, s_bits: usize, m_bits: usize) -> Vec<Case> {
    let order = model.curve.order;
    let mut random = Random(F::LANES as u64);
    let mut all = Vec::new();
    for (m, p) in pairs(model) {
        let (s, h) = ((m + p) as u64 % order, random.below(order) as Index);
        let lift = random.below(2) == 1;
        let [s, m] = [(s, s_bits), (m as u64, m_bits)].map(|(k, bits)| {
            if lift {
                return lifted(model, &mut random, k, bits);
            }
            let mut scalar = [0; 32];
            scalar[0] = k as u8;
            scalar
        });
        all.push(Case { s, h, m, p });
    }
    for (of_s, bits, others) in [(true, s_bits, m_bits), (false, m_bits, s_bits)] {
        for (i, edge) in edges(bits).into_iter().enumerate() {
            let other = lifted(model, &mut random, i as u64 % order, others);
            let (s, m) = if of_s { (edge, other) } else { (other, edge) };
            let [h, p] = [0; 2].map(|_| random.below(order) as Index);
            all.push(Case { s, h, m, p });
        }
    }
    // Bits that do not count.
    for (i, case) in all.iter_mut().enumerate() {
        if i % 2 == 1 {
            case.s[31] |= (0xffu16 << (s_bits - 248)) as u8;
            if m_bits > 248 {
                case.m[31] |= (0xffu16 << (m_bits - 248)) as u8;
            }
        }
    }
    all
}

/// A column of cases.
fn column<'a, T, U>(cases: &'a [T], of: impl FnMut(&'a T) -> U) -> Vec<U> {
    cases.iter().map(of).collect()
}

fn rows(model: &Model, random: &mut Random, points: impl Iterator<Item = Index>) -> Vec<Point> {
    points.map(|p| random.row(model, p)).collect()
}

/// The scalars of cases, and their points P.
fn operands(
    model: &Model,
    random: &mut Random,
    cases: &[Case],
) -> (Vec<Scalar>, Vec<Scalar>, Vec<Point>) {
    let p = rows(model, random, cases.iter().map(|case| case.p));
    (
        column(cases, |case| case.s),
        column(cases, |case| case.m),
        p,
    )
}

/// Whether each result is s·H + m·P, or s·H - m·P.
fn right(
    model: &Model,
    cases: &[Case],
    bits: [usize; 2],
    of_base: bool,
    subtract: bool,
    out: &[Point],
) -> Vec<bool> {
    let right = |(case, out): (&Case, &Point)| {
        let h = if of_base { model.base } else { case.h };
        let by_s = model.mul(model.reduce(&case.s, bits[0]), h);
        let by_m = model.mul(model.reduce(&case.m, bits[1]), case.p);
        model.index(out) == Some(model.add_or_sub(by_s, by_m, subtract))
    };
    cases.iter().zip(out).map(right).collect()
}

fn short(m: &Scalar) -> [u8; 16] {
    m.as_chunks().0[0]
}

pub fn small<F: Field>(model: &Model, tally: &mut Tally) {
    let mut random = Random(7);
    let all: Vec<_> = pairs(model)
        .into_iter()
        .flat_map(|(p, q)| (-4..=4).map(move |m| (p, q, m)))
        .collect();
    batches::<F, _>(tally, &all, |cases| {
        let p = rows(model, &mut random, cases.iter().map(|case| case.0));
        let q = rows(model, &mut random, cases.iter().map(|case| case.1));
        let m = column(cases, |case| case.2);
        let mut out = p.clone();
        stage(|| sub_small_multiple::<F>(&p, &m, &q, &mut out));
        let right = |(&(p, q, m), out): (&(Index, Index, i8), &Point)| {
            let multiple = model.mul(u64::from(m.unsigned_abs()), q);
            model.index(out) == Some(model.add_or_sub(p, multiple, m >= 0))
        };
        cases.iter().zip(&out).map(right).collect()
    });
}

pub fn straus<F: Lanes, const BITS: usize>(model: &Model, tally: &mut Tally) {
    let mut random = Random(8);
    let all = cases::<F>(model, 253, BITS);
    batches::<F, _>(tally, &all, |cases| {
        let (s, m, p) = operands(model, &mut random, cases);
        let m = column(&m, |m| &m[..BITS.div_ceil(8)]);
        let mut out = p.clone();
        let m = Multipliers::minus(&m, BITS);
        stage(|| straus::mul_two::<F>(&s, None, m, &p, &mut out));
        right(model, cases, [253, BITS], true, true, &out)
    });
}

pub fn two_points<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(10);
    for (bits, subtract) in [(128, true), (253, false)] {
        let all = cases::<F>(model, 253, bits);
        batches::<F, _>(tally, &all, |cases| {
            let (s, m) = (column(cases, |case| case.s), column(cases, |case| case.m));
            let h = rows(model, &mut random, cases.iter().map(|case| case.h));
            let p = rows(model, &mut random, cases.iter().map(|case| case.p));
            let mut out = p.clone();
            let m = slices(&m);
            let m = match subtract {
                true => Multipliers::minus(&m, bits),
                false => Multipliers::plus(&m, bits),
            };
            stage(|| straus::mul_two::<F>(&s, Some(&h), m, &p, &mut out));
            right(model, cases, [253, bits], false, subtract, &out)
        });
    }
}

/// The multiples of known points, as the engine computes them.
fn know<F: Field>(points: &[Point]) -> (Vec<[Point; MULTIPLES]>, Vec<KnownPoint>) {
    let mut multiples = vec![[Point::IDENTITY; MULTIPLES]; points.len()];
    let mut rows = vec![[AffineRow::IDENTITY; MULTIPLES]; points.len()];
    known::multiples::<F>(points, &mut multiples);
    normalize::<F>(multiples.as_flattened_mut());
    prepare::<F>(multiples.as_flattened(), rows.as_flattened_mut());
    let known = rows
        .iter()
        .map(|rows| KnownPoint::from_rows(rows, F::RADIX))
        .collect();
    (multiples, known)
}

pub fn known_rows<F: Field>(model: &Model, tally: &mut Tally) {
    let mut random = Random(11);
    let all: Vec<_> = (0..model.points.len()).collect();
    batches::<F, _>(tally, &all, |points| {
        let rows = rows(model, &mut random, points.iter().copied());
        let (multiples, _) = stage(|| know::<F>(&rows));
        let right = |(p, multiples): (&Index, &[Point; MULTIPLES])| {
            // Eight multiples at each of four places of 32 bits.
            let multiplier = |i: usize| {
                let place = (0..32 * (i / 8)).fold(1, |power, _| 2 * power % model.curve.order);
                place * (i as u64 % 8 + 1)
            };
            let expected = (0..MULTIPLES).map(|i| Some(model.mul(multiplier(i), *p)));
            multiples.iter().map(|row| model.index(row)).eq(expected)
        };
        points.iter().zip(&multiples).map(right).collect()
    });
}

pub fn known<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(12);
    let points = rows(model, &mut random, 0..model.points.len());
    let (_, known) = know::<F>(&points);
    let all = cases::<F>(model, 253, 128);
    batches::<F, _>(tally, &all, |cases| {
        let (s, c) = (
            column(cases, |case| case.s),
            column(cases, |case| short(&case.m)),
        );
        let p = column(cases, |case| &known[case.p]);
        let mut out = vec![Point::IDENTITY; cases.len()];
        stage(|| known::mul_base_and_known::<F>(&s, &c, &p, &mut out));
        right(model, cases, [253, 128], true, true, &out)
    });
}

pub fn base_alone<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(13);
    let all = cases::<F>(model, 253, 253);
    batches::<F, _>(tally, &all, |cases| {
        let (s, m, p) = operands(model, &mut random, cases);
        let mut out = p.clone();
        stage(|| alone::mul_base_sub_alone::<F>(&s, &m, &p, &mut out));
        right(model, cases, [253, 253], true, true, &out)
    });
}

/// The second half of the lanes has the points of the next case.
pub fn pairs_alone<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(14);
    for subtract in [false, true] {
        let all = cases::<F>(model, 253, 253);
        batches::<F, _>(tally, &all, |cases| {
            let (s, m) = (column(cases, |case| case.s), column(cases, |case| case.m));
            let next = |i: usize| &cases[(i + 1) % cases.len()];
            let mut pair = |i: usize, of: fn(&Case) -> Index| {
                [&cases[i], next(i)].map(|case| random.row(model, of(case)))
            };
            let h: Vec<_> = (0..cases.len()).map(|i| pair(i, |case| case.h)).collect();
            let p: Vec<_> = (0..cases.len()).map(|i| pair(i, |case| case.p)).collect();
            let mut out = p.clone();
            stage(|| alone::mul_alone::<F>(&s, &h, &m, &p, subtract, &mut out));
            let second = |(i, case): (usize, &Case)| Case {
                h: next(i).h,
                p: next(i).p,
                ..*case
            };
            let second: Vec<_> = cases.iter().enumerate().map(second).collect();
            let halves = [0, 1].map(|half| column(&out, |out| out[half]));
            let first = right(model, cases, [253, 253], false, subtract, &halves[0]);
            let second = right(model, &second, [253, 253], false, subtract, &halves[1]);
            first
                .into_iter()
                .zip(second)
                .map(|(first, second)| first && second)
                .collect()
        });
    }
}

/// What a comb multiplies by: an even scalar has L on top, which changes no multiple of a point of
/// order L. Here it does.
fn by_comb(model: &Model, scalar: &Scalar) -> u64 {
    let on_top = if scalar[0].is_multiple_of(2) {
        L
    } else {
        [0; 32]
    };
    model.reduce(scalar, 256) + model.reduce(&on_top, 256)
}

/// 2^252 + 27742317777372353535851937790883648493, the order of the base point of edwards25519.
const L: Scalar = {
    let mut bytes = [0; 32];
    let low = 27742317777372353535851937790883648493u128.to_le_bytes();
    let mut i = 0;
    while i < 16 {
        bytes[i] = low[i];
        i += 1;
    }
    bytes[31] = 0x10;
    bytes
};

pub fn combs<F: Lanes>(model: &Model, tally: &mut Tally) {
    all_combs::<F>(model, tally, 15, |p, x, k, [one, by_x, by_k, of_base]| {
        stage(|| comb::secret_mul::<F>(p, &[x], &mut [one]));
        stage(|| comb::secret_mul::<F>(p, &[x, k], &mut [by_x, by_k]));
        stage(|| base_comb::secret_mul_base::<F>(k, of_base));
    });
}

pub fn combs_alone<F: Lanes>(model: &Model, tally: &mut Tally) {
    all_combs::<F>(model, tally, 16, |p, x, k, [one, by_x, by_k, of_base]| {
        stage(|| alone::secret_mul_alone::<F>(p, x, one));
        stage(|| alone::secret_prove_alone::<F>(p, x, k, by_x, by_k, of_base));
    });
}

/// Checks x·P by itself, x·P and k·P together, and k·B. Scalars are below 2^252, so that they are
/// below L.
fn all_combs<F: Lanes>(
    model: &Model,
    tally: &mut Tally,
    seed: u64,
    run: impl Fn(&[Point], &[Scalar], &[Scalar], [&mut [Point]; 4]),
) {
    let mut random = Random(seed);
    let mut all = cases::<F>(model, 252, 252);
    for case in &mut all {
        keep(&mut case.s, 252);
        keep(&mut case.m, 252);
    }
    batches::<F, _>(tally, &all, |cases| {
        let (x, k, p) = operands(model, &mut random, cases);
        let mut out = [0; 4].map(|_| p.clone());
        run(&p, &x, &k, out.each_mut().map(|out| &mut out[..]));
        let right = |(i, case): (usize, &Case)| {
            let [x, k] = [&case.s, &case.m].map(|scalar| by_comb(model, scalar));
            let expected = [(x, case.p), (x, case.p), (k, case.p), (k, model.base)];
            let found = out.each_ref().map(|out| model.index(&out[i]));
            found == expected.map(|(k, p)| Some(model.mul(k, p)))
        };
        cases.iter().enumerate().map(right).collect()
    });
}
