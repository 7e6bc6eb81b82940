//! Every element, and every pair of elements: powers, roots and inversion.

use klero_lanes::unstable::field::powers::power_2_250_minus_1;
use klero_lanes::unstable::field::{
    Field, add, equal, invert_all, mul, negate_if, quartic_character, sqrt_ratio, square, sub,
};

use super::{Random, Tally, batches, element, lanes, values};
use crate::faults::stage;
use crate::model::Model;

/// All pairs of elements, some of them not least residues.
fn pairs(model: &Model) -> Vec<(u64, u64)> {
    let q = model.curve.q;
    let mut random = Random(1);
    let mut either = |value: u64| value + q * random.below(2);
    let all = (0..q).flat_map(|a| (0..q).map(move |b| (a, b)));
    all.map(|(a, b)| (either(a), either(b))).collect()
}

pub fn operations<F: Field>(model: &Model, tally: &mut Tally) {
    let q = model.curve.q;
    for pairs in pairs(model).chunks(F::LANES) {
        let [a, b]: [F; 2] = [
            element(pairs.iter().map(|pair| pair.0)),
            element(pairs.iter().map(|pair| pair.1)),
        ];
        let negated = 0b0110_1001;
        let out = stage(|| {
            [
                mul(a, b),
                square(a),
                add(a, b),
                sub(a, b),
                negate_if(negated, a),
            ]
        });
        let (equal, zero, odd) = stage(|| (equal(a, b), a.is_zero(), a.is_odd()));
        let out = out.map(values);
        for (lane, (a, b)) in pairs.iter().enumerate() {
            let negative = if negated >> lane & 1 == 1 {
                2 * q - a
            } else {
                *a
            };
            let expected = [a * b, a * a, a + b, a + 2 * q - b, negative].map(|value| value % q);
            let bit = |mask: u8| mask >> lane & 1 == 1;
            tally.case(
                out.each_ref().map(|out| out[lane]) == expected
                    && bit(equal) == (a % q == b % q)
                    && bit(zero) == (a % q == 0)
                    && bit(odd) == (a % q % 2 == 1),
            );
        }
    }
}

pub fn roots<F: Field>(model: &Model, tally: &mut Tally) {
    let (q, curve) = (model.curve.q, model.curve);
    let i = curve.root(q - 1).expect("q = 1 mod 4");
    let right = |(u, v): (u64, u64), is_square: bool, root: u64| {
        let square = root * root % q * v % q;
        match (u % q, v % q) {
            (0, _) => is_square && square == 0,
            (_, 0) => !is_square,
            (u, v) if curve.root(u * model.inverse(v) % q).is_some() => is_square && square == u,
            (u, _) => !is_square && square == u * i % q,
        }
    };
    batches::<F, _>(tally, &pairs(model), |pairs| {
        // Three vectors, the last with one element, or one.
        let vectors = [0, 1, 2].map(|i| pairs.chunks(F::LANES).nth(i).unwrap_or(&[]));
        let u = vectors.map(|pairs| element::<F>(pairs.iter().map(|pair| pair.0)));
        let v = vectors.map(|pairs| element::<F>(pairs.iter().map(|pair| pair.1)));
        let three = stage(|| sqrt_ratio(u, v));
        let [one] = sqrt_ratio([u[0]], [v[0]]);
        let same = one.0 == three[0].0 && values(one.1) == values(three[0].1);
        let roots = three
            .into_iter()
            .flat_map(|(mask, root)| lanes(mask).zip(values(root)));
        let right = pairs
            .iter()
            .zip(roots)
            .map(|(pair, (mask, root))| right(*pair, mask, root));
        right.map(|right| right && same).collect()
    });
}

pub fn powers<F: Field>(model: &Model, tally: &mut Tally) {
    let (q, curve) = (model.curve.q, model.curve);
    // 2^250 - 1 modulo the order of the multiplicative group.
    let long = ((0..250).fold(1, |power, _| 2 * power % (q - 1)) + q - 2) % (q - 1);
    let all: Vec<_> = (0..2 * q).collect();
    batches::<F, _>(tally, &all, |all| {
        let vectors = [0, 1, 2].map(|i| element::<F>(all.iter().copied().skip(i * F::LANES)));
        let characters = stage(|| quartic_character(vectors))
            .into_iter()
            .flat_map(values);
        let powers = stage(|| power_2_250_minus_1(vectors))
            .into_iter()
            .flat_map(values);
        let expected = |a: &u64| [(q - 1) / 4, long].map(|n| curve.power(a % q, n));
        let right = |((a, character), power)| [character, power] == expected(a);
        all.iter().zip(characters).zip(powers).map(right).collect()
    });
}

pub fn inversion<F: Field>(model: &Model, tally: &mut Tally) {
    let q = model.curve.q;
    let mut random = Random(2);
    for vectors in 0..=16 {
        for x in 0..2 * q {
            // One place has x, the others any element, a fourth of them 0.
            let mut all: Vec<_> = (0..vectors * F::LANES as u64)
                .map(|_| random.below(2 * q) * random.below(4).min(1))
                .collect();
            if let place @ 1.. = all.len() {
                all[x as usize % place] = x;
            }
            let mut elements: Vec<F> = all
                .chunks(F::LANES)
                .map(|lanes| element(lanes.iter().copied()))
                .collect();
            let mut scratch = elements.clone();
            stage(|| invert_all(&mut elements, F::LANES, &mut scratch));
            let inverses = elements.into_iter().flat_map(values);
            for (x, inverse) in all.iter().zip(inverses) {
                tally.case(inverse == model.inverse(*x));
            }
        }
    }
}
