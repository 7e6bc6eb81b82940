//! Tests of checking equations with multipliers of half the size. curve25519-dalek makes the equations.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Halves, engines};

use crate::support::{edge_integers, exact, load, random32};

/// The equation s·B - k·P - Q = 0, where Q = s·B - k·P + `off`. It holds only if `off` is the identity.
struct Equation {
    s: Scalar,
    k: [u8; 32],
    p: EdwardsPoint,
    q: EdwardsPoint,
    off: EdwardsPoint,
}

impl Equation {
    fn new(s: Scalar, k: [u8; 32], p: EdwardsPoint, off: EdwardsPoint) -> Self {
        let q = EdwardsPoint::mul_base(&s) - exact(&p, &k) + off;
        Self { s, k, p, q, off }
    }
}

fn check(engine: Engine, equations: &[Equation]) {
    let n = equations.len();
    let k: Vec<_> = equations.iter().map(|equation| equation.k).collect();
    let mut halves = vec![Halves::ZERO; n];
    engine.halve(&k, &mut halves);
    let v = halves
        .iter()
        .map(|halves| Scalar::from_bytes_mod_order(halves.v()));
    let w: Vec<[u8; 32]> = equations
        .iter()
        .zip(v)
        .map(|(equation, v)| (equation.s * v).to_bytes())
        .collect();
    let p: Vec<_> = equations.iter().map(|equation| equation.p).collect();
    let q: Vec<_> = equations.iter().map(|equation| equation.q).collect();
    let (p, q) = (load(engine, &p), load(engine, &q));
    let mut vanishes = vec![false; n];
    engine.vanishes(&w, &halves, &p, &q, &mut vanishes);
    for (i, equation) in equations.iter().enumerate() {
        let expected = equation.off == EIGHT_TORSION[0];
        assert_eq!(vanishes[i], expected, "{engine:?} {i}");
    }
}

/// Tests torsion of every order in P and in `off`, for multipliers k of every residue modulo 8.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn torsion_is_seen_exactly() {
    let mut equations = Vec::new();
    for (in_p, off) in (0..8).flat_map(|p| (0..8).map(move |off| (p, off))) {
        for seed in 0..8u64 {
            let mut k = random32(seed);
            k[31] &= 0x0f;
            k[0] = k[0] & 0xf8 | seed as u8;
            let s = Scalar::from_bytes_mod_order(random32(seed + 100));
            let p = EdwardsPoint::mul_base(&Scalar::from(seed)) + EIGHT_TORSION[in_p];
            equations.push(Equation::new(s, k, p, EIGHT_TORSION[off]));
        }
    }
    for engine in engines() {
        check(engine, &equations);
    }
}

/// Tests multipliers at the edges of their range, first all in one call, then in calls of 0 to 32 items.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn any_multiplier_will_do() {
    let edges = edge_integers::<32>(0x10);
    let mut equations = Vec::new();
    for (i, s) in edges.iter().enumerate() {
        for (j, k) in edges.iter().enumerate() {
            let s = Scalar::from_bytes_mod_order(*s);
            let p = EdwardsPoint::mul_base(&Scalar::from(i as u64 + 1)) + EIGHT_TORSION[j % 8];
            let off = match (i + j) % 3 {
                0 => EIGHT_TORSION[0],
                1 => EIGHT_TORSION[j % 8],
                _ => EdwardsPoint::mul_base(&Scalar::from(j as u64 + 1)) + EIGHT_TORSION[i % 8],
            };
            equations.push(Equation::new(s, *k, p, off));
        }
    }
    for engine in engines() {
        check(engine, &equations);
        let (mut from, mut size) = (0, 0);
        while from < equations.len() {
            let to = equations.len().min(from + size);
            check(engine, &equations[from..to]);
            (from, size) = (to, (size + 1) % 75);
        }
    }
}
