//! Every pair of points: addition, subtraction, doubling, in every form of the operands.

use klero_lanes::Point;
use klero_lanes::unstable::field::Field;
use klero_lanes::unstable::formulas::point::{AffineNiels, Cached, Completed, Extended};
use klero_lanes::unstable::formulas::rows::{
    AffineRow, CachedRows, is_small_order, load, plus, prepare, store,
};
use klero_lanes::unstable::formulas::small_multiples::mul_by_cofactor;
use klero_lanes::unstable::formulas::{Lanes, alone};

use super::{Random, Tally, batches, pairs};
use crate::faults::stage;
use crate::model::{Index, Model};

/// The points of the first lanes.
fn stored<F: Field>(point: Extended<F>, count: usize) -> Vec<Point> {
    let mut out = vec![Point::IDENTITY; count];
    store(point, &mut out);
    out
}

/// P + Q and P - Q, then 2·(P ± Q) and (P ± Q) + Q.
pub fn additions<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(3);
    for pairs in pairs(model).chunks(F::LANES) {
        let p: Vec<_> = pairs.iter().map(|pair| random.row(model, pair.0)).collect();
        let q: Vec<_> = pairs.iter().map(|pair| random.row(model, pair.1)).collect();
        let affine: Vec<_> = pairs.iter().map(|pair| model.affine_row(pair.1)).collect();
        let mask = random.next() as u8;
        for negative in [mask, !mask] {
            let out = stage(|| sums::<F>(&p, &q, &affine, negative));
            for (lane, &(p, q)) in pairs.iter().enumerate() {
                let minus = negative >> lane & 1 == 1;
                let sum = model.add_or_sub(p, q, minus);
                let expected = [
                    sum,
                    sum,
                    sum,
                    model.add(p, q),
                    model.add(sum, sum),
                    model.add(sum, q),
                    model.add(p, q),
                    model.sub(p, q),
                    if minus { model.identity } else { q },
                ];
                let out = out.each_ref().map(|out| model.index(&out[lane]));
                tally.case(out == expected.map(Some));
            }
        }
        let sums = p
            .iter()
            .zip(&q)
            .map(|(p, q)| stage(|| plus::<F::One>(p, q)));
        for (sum, (p, q)) in sums.zip(pairs) {
            tally.case(model.index(&sum) == Some(model.add(*p, *q)));
        }
    }
}

fn sums<F: Field>(p: &[Point], q: &[Point], affine: &[Point], negative: u8) -> [Vec<Point>; 9] {
    let (p_lanes, q_lanes) = (load::<F>(p), load::<F>(q));
    // Through memory, as tables hold it.
    let mut cached = CachedRows::IDENTITY;
    q_lanes.to_cached().store(&mut cached);
    let cached = Cached::<F>::load(&cached.0.each_ref());
    let mut rows = [AffineRow::IDENTITY; 8];
    prepare::<F>(affine, &mut rows);
    let rows = rows.each_ref().map(|row| &row.0);
    let [by_row, by_limbs] = [
        AffineNiels::<F>::load(&rows),
        AffineNiels::load_limbs(&rows),
    ];

    let sum = p_lanes.to_add().add_signed(&cached, negative);
    let again = Completed::from_parts(sum.parts());
    let extended = sum.to_extended();
    let [plus, minus] = p_lanes.to_add().add_and_subtract(&cached);
    [
        extended,
        p_lanes.to_add().add_affine(&by_row, negative).to_extended(),
        // The first operand as an operation leaves it.
        Completed::identity()
            .to_add()
            .add(&p_lanes.to_cached())
            .to_add()
            .add_affine(&by_limbs, negative)
            .to_extended(),
        p_lanes.to_add().add(&cached).to_extended(),
        again.to_double().double().to_extended(),
        again.to_add().add(&cached).to_extended(),
        plus.to_extended(),
        minus.to_extended(),
        Completed::identity()
            .to_add()
            .add_affine(
                &AffineNiels::select(negative, AffineNiels::identity(), by_row),
                0,
            )
            .to_extended(),
    ]
    .map(|point| stored(point, p.len()))
}

/// 2·P and 8·P of every point, in all its coordinates.
pub fn doublings<F: Lanes>(model: &Model, tally: &mut Tally) {
    let all = every_row(model);
    batches::<F, _>(tally, &all, |points| {
        let p: Vec<_> = points.iter().map(|(_, row)| *row).collect();
        let mut doubled = vec![Point::IDENTITY; p.len()];
        let (mut eightfold, mut in_pairs) = (doubled.clone(), doubled.clone());
        stage(|| {
            for (p, two) in p.chunks(F::LANES).zip(doubled.chunks_mut(F::LANES)) {
                store(load::<F>(p).to_double().double().to_extended(), two);
            }
        });
        stage(|| mul_by_cofactor::<F>(&p, &mut eightfold));
        for (p, eightfold) in p.chunks(2).zip(in_pairs.chunks_mut(2)) {
            stage(|| mul_by_cofactor::<F>(p, eightfold));
        }
        let results = doubled.iter().zip(eightfold.iter().zip(&in_pairs)).zip(&p);
        let right = |((p, _), ((two, (eight, in_pair)), row)): (&(Index, _), ((_, _), &Point))| {
            let of_eight = [eight, in_pair].map(|point| model.index(point));
            model.index(two) == Some(model.mul(2, *p))
                && of_eight == [Some(model.mul(8, *p)); 2]
                && stage(|| is_small_order::<F::One>(row)) == (model.mul(8, *p) == model.identity)
        };
        points.iter().zip(results).map(right).collect()
    });
}

/// Every point in all its coordinates.
pub fn every_row(model: &Model) -> Vec<(Index, Point)> {
    let all = 0..model.points.len();
    all.flat_map(|p| (1..model.curve.q).map(move |z| (p, z)))
        .map(|(p, z)| (p, model.row(p, z)))
        .collect()
}

/// P ± Q, 2·(P ± Q) and (P ± Q) + Q with two points in the lanes: each pair beside another.
pub fn additions_alone<F: Lanes>(model: &Model, tally: &mut Tally) {
    let mut random = Random(4);
    let all = pairs(model);
    for (i, first) in all.iter().enumerate() {
        let second = all[(i * 7 + 3) % all.len()];
        let of = [*first, second];
        let p = of.map(|(p, _)| random.row(model, p));
        let q = of.map(|(_, q)| random.row(model, q));
        let affine = of.map(|(_, q)| model.affine_row(q));
        let minus = [random.below(2) == 1, random.below(2) == 1];
        let negative = if minus[0] { 0x0f } else { 0 } | if minus[1] { 0xf0 } else { 0 };
        let out = stage(|| sums_alone::<F>(&p, &q, &affine, negative));
        for half in 0..2 {
            let (p, q) = of[half];
            let sum = model.add_or_sub(p, q, minus[half]);
            let expected = [
                sum,
                sum,
                model.add(p, q),
                model.sub(p, q),
                model.add(sum, sum),
                model.add(sum, q),
                if minus[half] { p } else { q },
            ];
            let out = out.each_ref().map(|out| model.index(&out[half]));
            tally.case(out == expected.map(Some));
        }
    }
}

fn sums_alone<F: Lanes>(
    p: &[Point; 2],
    q: &[Point; 2],
    affine: &[Point; 2],
    negative: u8,
) -> [[Point; 2]; 7] {
    use alone::point::{Cached, Completed, Products};

    let mut rows = [AffineRow::IDENTITY; 2];
    prepare::<F>(affine, &mut rows);
    let p = Products::<F::Eight>::load(p.each_ref());
    let cached = Products::<F::Eight>::load(q.each_ref())
        .to_add()
        .to_cached();
    let sum = p.to_add().add_signed(&cached, negative);
    let of_identity = |other: &Cached<F::Eight>| {
        Completed::<F::Eight>::identity()
            .products()
            .to_add()
            .add(other)
    };
    [
        sum,
        p.to_add()
            .add_signed(&Cached::of_rows(rows.each_ref()), negative),
        p.to_add().add(&cached),
        p.to_add().add_signed(&cached, 0xff),
        sum.products().to_double().double(),
        sum.products().to_add().add(&cached),
        of_identity(&Cached::select(negative, p.to_add().to_cached(), cached)),
    ]
    .map(|point| point.products().store())
}

/// The rows y - x, y + x, 2d·xy of every point, and of what is not there the identity's.
pub fn rows<F: Field>(model: &Model, tally: &mut Tally) {
    let (q, d) = (model.curve.q, model.curve.d);
    let all: Vec<_> = (0..model.points.len()).collect();
    batches::<F, _>(tally, &all, |points| {
        let affine: Vec<_> = points.iter().map(|p| model.affine_row(*p)).collect();
        let mut rows = vec![AffineRow::IDENTITY; points.len()];
        stage(|| prepare::<F>(&affine, &mut rows));
        let right = |(p, row): (&Index, &AffineRow)| {
            let (x, y) = model.points[*p];
            let expected = [y + q - x, y + x, 2 * d * x % q * y].map(|value| value % q);
            [0, 5, 10].map(|limb| row.0[limb] % q) == expected
        };
        points.iter().zip(&rows).map(right).collect()
    });
}
