//! The kernels on integers: what each reads, what it returns, and what is claimed of it.

use klero_lanes::order::{self, DELTA, multiple_of_l};
use klero_lanes::unstable::field::limbs;
use klero_lanes::unstable::formulas::equation::{BASE_HALVES, BASE_WIDTH, OWN_HALVES, WIDTH};
use num_bigint::BigInt;

use super::digits;
use super::kernel::{Kernel, integer, joined, whole, word};
use crate::words::domain::Domain;
use crate::words::exact::power;
use crate::words::polynomial::Value;

fn words(count: usize) -> Vec<Vec<u32>> {
    vec![vec![64]; count]
}

/// Words of the result, one after the other.
fn places(count: u32) -> Vec<(u32, u32)> {
    (0..count).map(|i| (64 * i, 64)).collect()
}

fn array<T: Copy, const N: usize>(words: &[T]) -> [T; N] {
    words.try_into().expect("as many words as were asked for")
}

/// All of them. Of digits there are two shapes, in the first of which some lie in two words.
pub(crate) fn kernels<D: Domain>() -> Vec<Kernel<D>> {
    let mut all: Vec<_> = bytes().into();
    all.extend([product::<D, 2, 4, 6>("weight·scalar", 64, 64)]);
    all.extend([product::<D, 3, 4, 7>("v·s", 32, 61)]);
    all.extend(folds());
    all.extend(sums());
    all.extend([digits::kernel(255, 7), digits::kernel(128, 5)]);
    all.push(digits::in_words(WIDTH, OWN_HALVES));
    all.push(digits::in_words(BASE_WIDTH, BASE_HALVES));
    all
}

/// Bytes to limbs and back, where bytes are words.
fn bytes<D: Domain>() -> [Kernel<D>; 2] {
    let to_limbs = Kernel {
        name: "bytes to limbs".to_owned(),
        inputs: vec![vec![64], vec![64], vec![64], vec![63, 1]],
        run: Box::new(|x| limbs::from_words(array::<_, 4>(x)).to_vec()),
        places: (0..5).map(|i| (51 * i, 51)).collect(),
        exact: Box::new(whole),
        below: power(255),
        modulo_l: None,
    };
    let to_bytes = Kernel {
        name: "limbs to bytes".to_owned(),
        inputs: vec![vec![51]; 5],
        run: Box::new(|x| limbs::to_words(array::<_, 5>(x)).to_vec()),
        places: places(4),
        exact: Box::new(|x| joined(x.iter().map(|limb| limb[0].clone()), 51)),
        below: power(255),
        modulo_l: None,
    };
    [to_limbs, to_bytes]
}

/// a·b, where `bits_of_a` and `bits_of_b` are the bits of their highest words.
fn product<D: Domain, const A: usize, const B: usize, const N: usize>(
    name: &str,
    bits_of_a: u32,
    bits_of_b: u32,
) -> Kernel<D> {
    let mut inputs = words(A + B);
    (inputs[A - 1], inputs[A + B - 1]) = (vec![bits_of_a], vec![bits_of_b]);
    Kernel {
        name: name.to_owned(),
        inputs,
        run: Box::new(|x| order::times::<_, N>(&x[..A], &x[A..]).to_vec()),
        places: places(N as u32),
        exact: Box::new(|x| {
            let product = whole(&x[..A]).product(&whole(&x[A..]));
            product.expect("two factors")
        }),
        below: power(64 * (A + B - 2) as u32 + bits_of_a + bits_of_b),
        modulo_l: None,
    }
}

/// What klero and klero-ed25519 fold.
fn folds<D: Domain>() -> [Kernel<D>; 3] {
    let delta = integer(&DELTA);
    let once: BigInt = 5 * power(252) + 4 * &delta;
    let twice = power(253) + &delta;
    [
        fold("a fold by 4·L", 381, multiple_of_l::<6>(4, 0), once),
        fold("by 2^34·L", 413, multiple_of_l::<7>(1, 34), power(287)),
        fold("and by L", 287, multiple_of_l::<7>(1, 0), twice),
    ]
}

/// An integer of `bits` bits, folded by this multiple of L: it is from 0 to below the bound.
pub(crate) fn fold<D: Domain, const N: usize>(
    name: &str,
    bits: u32,
    multiple: [u64; N],
    below: BigInt,
) -> Kernel<D> {
    let mut inputs: Vec<Vec<u32>> = (0..N as u32)
        .map(|i| bits.saturating_sub(64 * i).min(64))
        .map(|bits| match bits {
            61..=64 => vec![60, bits - 60],
            _ => vec![bits],
        })
        .collect();
    // A word that is 0 is any below 2^0.
    inputs.resize(N, vec![0]);
    let own = inputs.clone();
    let x = move |parts: &[Vec<Value>]| joined(parts.iter().zip(&own).map(|(p, b)| word(p, b)), 64);
    let own = inputs.clone();
    let exact = move |parts: &[Vec<Value>]| {
        let mut low = parts[..4].to_vec();
        low[3].truncate(1);
        let mut high = parts[3..].to_vec();
        high[0].remove(0);
        let mut bits = own[3..].to_vec();
        bits[0].remove(0);
        // What is above 2^252 begins with the highest four bits of a word.
        let mut value = word(&high[0], &bits[0]);
        let above = high[1..].iter().zip(&bits[1..]).map(|(p, b)| word(p, b));
        value = value.plus(&power(4), &joined(above, 64));
        let low = joined(
            low.iter().zip(&own).map(|(p, b)| word(p, &b[..p.len()])),
            64,
        );
        let sum = low.plus(&1.into(), &Value::constant(integer(&multiple)));
        sum.plus(&-integer(&DELTA), &value)
    };
    Kernel {
        name: name.to_owned(),
        inputs,
        run: Box::new(move |x| order::fold(&array::<_, N>(x), &multiple).to_vec()),
        places: places(N as u32),
        exact: Box::new(exact),
        below,
        modulo_l: Some(Box::new(x)),
    }
}

fn sums<D: Domain>() -> [Kernel<D>; 3] {
    let mut terms = words(12);
    (terms[5], terms[11]) = (vec![63], vec![63]);
    let sum = Kernel {
        name: "a + b".to_owned(),
        inputs: terms,
        run: Box::new(|x| order::sum::<_, 6>(&array(&x[..6]), &array(&x[6..])).to_vec()),
        places: places(6),
        exact: Box::new(|x| whole(&x[..6]).plus(&1.into(), &whole(&x[6..]))),
        below: power(384),
        modulo_l: None,
    };
    [
        sum,
        difference::<D, 6>("a - b"),
        difference::<D, 4>("a - b, a < b"),
    ]
}

/// The difference, and on top of it whether it is negative: 2^(64·N) + a - b.
fn difference<D: Domain, const N: usize>(name: &str) -> Kernel<D> {
    let mut places = places(N as u32 + 1);
    places[N].1 = 1;
    Kernel {
        name: name.to_owned(),
        inputs: words(2 * N),
        run: Box::new(|x| {
            let (out, not_below) = order::difference::<_, N>(&array(&x[..N]), &array(&x[N..]));
            [&out[..], &[not_below]].concat()
        }),
        places,
        exact: Box::new(|x| {
            let difference = whole(&x[..N]).minus(&whole(&x[N..]));
            difference.plus(&1.into(), &Value::constant(power(64 * N as u32)))
        }),
        below: power(64 * N as u32 + 1),
        modulo_l: None,
    }
}
