//! A run of every stage on arbitrary bytes. All backends must have the same results.

use klero_lanes::{Elligator2, Engine, Halves, Point, engines};

/// The largest number of blocks of 32 bytes that are used: enough for two vectors of eight, and four more.
const MOST: usize = 20;

/// Runs all stages of all backends on the bytes, and compares the results.
pub fn stages(bytes: &[u8]) {
    let (blocks, _) = bytes.as_chunks();
    let blocks = &blocks[..blocks.len().min(MOST)];
    let engines = engines();
    let (portable, others) = engines.split_last().expect("portable");
    let expected = through(*portable, blocks);
    for engine in others {
        for ((stage, result), (_, expected)) in through(*engine, blocks).iter().zip(&expected) {
            assert_eq!(result, expected, "{stage} on {engine:?}");
        }
    }
}

/// The name and the results of each stage. All stages are in one function, because each stage uses
/// the results of the stages before it.
pub fn through(engine: Engine, bytes: &[[u8; 32]]) -> Vec<(&'static str, Vec<[u8; 32]>)> {
    let encode = |points: &[Point]| {
        let mut encodings = vec![[0; 32]; points.len()];
        engine.encode(points, &mut encodings);
        encodings
    };
    let mut results = Vec::new();

    let mut points = vec![Point::IDENTITY; bytes.len()];
    let mut on_curve = vec![false; bytes.len()];
    let mut mapped = points.clone();
    for form in [Elligator2::Draft03, Elligator2::Rfc9380] {
        // The bytes determine the number of blocks that are decoded. The other blocks are mapped.
        let split = bytes.first().map_or(0, |block| usize::from(block[1])) % (bytes.len() + 1);
        let (decode, map) = bytes.split_at(split);
        let (points, on_curve) = (&mut points[..split], &mut on_curve[..split]);
        let mapped = &mut mapped[..map.len()];
        engine.decode_and_map(decode, points, on_curve, map, form, mapped);
        results.push(("decode_and_map", encode(mapped)));
    }
    engine.decode_ristretto(bytes, &mut points, &mut on_curve);
    let elements = points.iter().zip(&on_curve).filter(|(_, valid)| **valid);
    let elements: Vec<_> = elements.map(|(point, _)| *point).collect();
    results.push(("decode_ristretto", encode(&elements)));
    engine.decode(bytes, &mut points, &mut on_curve);
    // A block that does not encode a point is replaced by a small multiple of the base point.
    for (i, (point, on_curve)) in points.iter_mut().zip(&on_curve).enumerate() {
        if !on_curve {
            *point = (0..i % 4).fold(Point::IDENTITY, |sum, _| sum.plus(&Point::BASE));
        }
    }
    engine.normalize(&mut points);
    results.push(("decode", encode(&points)));

    let n = points.len();
    let others: Vec<_> = points.iter().rev().copied().collect();
    // `scalars` are below 2^252, and therefore below L. `halves` are integers of 16 bytes.
    let scalars: Vec<[u8; 32]> = bytes.iter().map(|block| below_l(*block)).collect();
    let reversed: Vec<_> = scalars.iter().rev().copied().collect();
    let halves: Vec<[u8; 16]> = bytes.iter().map(half).collect();
    let small: Vec<i8> = bytes.iter().map(|block| (block[0] % 9) as i8 - 4).collect();

    let mut free = vec![false; n];
    engine.torsion_free(&points, &mut free);
    let free = free.into_iter().map(|free| [free.into(); 32]);
    results.push(("torsion_free", free.collect()));
    let mut out = points.clone();
    engine.sub_small_multiple(&points, &small, &others, &mut out);
    results.push(("sub_small_multiple", encode(&out)));
    engine.mul_base_sub(&scalars, &halves, &points, &mut out);
    results.push(("mul_base_sub", encode(&out)));
    engine.mul_base_sub_alone(&scalars, &reversed, &others, &mut out);
    results.push(("mul_base_sub_alone", encode(&out)));
    let mut short = vec![Halves::ZERO; n];
    engine.halve(&reversed, &mut short);
    results.push(("halve", short.iter().map(Halves::v).collect()));
    let mut vanishes = vec![false; n];
    engine.vanishes(&scalars, &short, &points, &others, &mut vanishes);
    let vanishes = vanishes.into_iter().map(|vanishes| [vanishes.into(); 32]);
    results.push(("vanishes", vanishes.collect()));
    engine.mul_sub(&scalars, &points, &halves, &others, &mut out);
    results.push(("mul_sub", encode(&out)));
    engine.mul_add(&scalars, &points, &reversed, &others, &mut out);
    results.push(("mul_add", encode(&out)));
    for subtract in [false, true] {
        let pairs = |a: &[Point], b: &[Point]| -> Vec<_> {
            a.iter().zip(b).map(|(a, b)| [*a, *b]).collect()
        };
        let (a, b) = (pairs(&points, &others), pairs(&others, &points));
        let mut both = a.clone();
        engine.mul_alone(&scalars, &a, &reversed, &b, subtract, &mut both);
        results.push(("mul_alone", encode(both.as_flattened())));
    }
    let scalar = reversed.first().unwrap_or(&[0; 32]);
    let sum = engine.multiscalar_mul(scalar, &points, &scalars, 253);
    results.push(("multiscalar_mul", encode(&[sum])));
    let (sum, all_free) = engine.random_combination(&points, &halves);
    results.push(("random_combination", encode(&[sum])));
    results.push(("random_combination", vec![[all_free.into(); 32]]));

    // Messages in two parts. Each message begins at some byte of the input and ends at the input's end.
    let all = bytes.as_flattened();
    let tails: Vec<[&[u8]; 2]> = bytes
        .iter()
        .map(|block| {
            let from = usize::from(u16::from_le_bytes([block[2], block[3]])) % all.len();
            all[from..].split_at(usize::from(block[4]) % (all.len() - from))
        })
        .map(<[&[u8]; 2]>::from)
        .collect();
    let messages: Vec<&[&[u8]]> = tails.iter().map(|parts| &parts[..]).collect();
    let mut digests = vec![[0; 64]; n];
    engine.sha512(&[], &messages, &mut digests);
    results.push(("sha512", digests.as_flattened().as_chunks().0.to_vec()));
    engine.blake2b(&messages, &mut digests);
    results.push(("blake2b", digests.as_flattened().as_chunks().0.to_vec()));

    // Secret scalars multiply points of order L only.
    let mut order_l = points.clone();
    engine.mul_by_cofactor(&points, &mut order_l);
    results.push(("mul_by_cofactor", encode(&order_l)));
    let mut second = out.clone();
    engine.secret_mul_pair(&order_l, &scalars, &reversed, &mut out, &mut second);
    results.push(("secret_mul_pair", encode(&out)));
    results.push(("secret_mul_pair", encode(&second)));
    engine.secret_mul_base(&scalars, &mut out);
    results.push(("secret_mul_base", encode(&out)));
    engine.secret_mul(&order_l, &scalars, &mut out);
    results.push(("secret_mul", encode(&out)));
    engine.secret_mul_alone(&order_l, &scalars, &mut out);
    results.push(("secret_mul_alone", encode(&out)));
    let [mut by_x, mut by_k, mut base_by_k] = [(); 3].map(|()| points.clone());
    engine.secret_prove_alone(
        &order_l,
        &scalars,
        &reversed,
        &mut by_x,
        &mut by_k,
        &mut base_by_k,
    );
    for out in [by_x, by_k, base_by_k] {
        results.push(("secret_prove_alone", encode(&out)));
    }
    results
}

fn below_l(mut block: [u8; 32]) -> [u8; 32] {
    block[31] &= 0x0f;
    block
}

fn half(block: &[u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&block[..16]);
    half
}
