//! Tests of sums of many multiples, and of the torsion check of their points.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::VartimeMultiscalarMul;
use klero_lanes::engines;

use crate::support::{edge_integers, exact, expect, load, random32};

#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn sums_of_many_terms() {
    for engine in engines() {
        for n in [0usize, 1, 2, 7, 40, 300, 700] {
            let scalars: Vec<_> = (0..n as u64)
                .map(|i| Scalar::from_bytes_mod_order(random32(i)))
                .collect();
            let mut points: Vec<_> = (0..n as u64)
                .map(|i| EdwardsPoint::mul_base(&Scalar::from(i * i + 3)))
                .collect();
            let bytes: Vec<_> = scalars.iter().map(|s| s.to_bytes()).collect();
            let base = Scalar::from_bytes_mod_order(random32(5000 + n as u64));
            let s = base.to_bytes();
            let sum = engine.multiscalar_mul(&s, &load(engine, &points), &bytes, 253);
            let expected = EdwardsPoint::vartime_multiscalar_mul(&scalars, &points)
                + EdwardsPoint::mul_base(&base);
            expect(engine, &[sum], |_| expected);

            let weights: Vec<[u8; 16]> =
                bytes.iter().map(|b| b[..16].try_into().unwrap()).collect();
            let wide: Vec<_> = weights
                .iter()
                .map(|w| Scalar::from(u128::from_le_bytes(*w)))
                .collect();
            let (sum, free) = engine.random_combination(&load(engine, &points), &weights);
            let expected = EdwardsPoint::vartime_multiscalar_mul(&wide, &points);
            expect(engine, &[sum], |_| expected);
            assert!(free);
            for t in &EIGHT_TORSION[1..] {
                if n > 0 {
                    points[n / 2] += t;
                    let (_, free) = engine.random_combination(&load(engine, &points), &weights);
                    assert!(!free, "{engine:?} {n}");
                    points[n / 2] -= t;
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn sums_of_points_with_torsion_are_exact() {
    let p: Vec<_> = (0..65u64)
        .map(|i| EdwardsPoint::mul_base(&Scalar::from(i / 3)) + EIGHT_TORSION[i as usize % 8])
        .collect();
    let base = EdwardsPoint::mul_base(&Scalar::ONE);
    let edges = edge_integers::<32>(0x10);
    for n in [0, 1, 2, 5, 9, 65] {
        for turn in 0..4 {
            let scalars: Vec<_> = (0..n)
                .map(|i| edges[(turn * 7 + i * (turn + 1)) % edges.len()])
                .collect();
            let weights: Vec<[u8; 16]> = scalars
                .iter()
                .map(|s| s[..16].try_into().unwrap())
                .collect();
            let s = &edges[(turn * 5 + n) % edges.len()];
            let terms = p.iter().zip(&scalars).map(|(p, s)| exact(p, s));
            let expected = exact(&base, s) + terms.sum::<EdwardsPoint>();
            let terms = p.iter().zip(&weights).map(|(p, w)| exact(p, w));
            let weighted: EdwardsPoint = terms.sum();
            for engine in engines() {
                let points = load(engine, &p[..n]);
                for bits in [253, 255, 1000] {
                    let found = engine.multiscalar_mul(s, &points, &scalars, bits);
                    expect(engine, &[found], |_| expected);
                }
                let (found, free) = engine.random_combination(&points, &weights);
                expect(engine, &[found], |_| weighted);
                assert_eq!(free, p[..n].iter().all(|p| p.is_torsion_free()));
            }
        }
    }
}

/// The torsion test has an error probability of 2^-128 only if it uses all 128 bits of each weight. So a
/// point with torsion must be found even if only one bit of its weight is set, whichever bit it is.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn every_bit_of_a_weight_finds_torsion() {
    // 20 points are tested one by one. For 160 and 600 points, each bit of the weights selects a subset of
    // the points, whose sum is tested. Windows have 4 bits for 160 points, and 8 bits for 600 points.
    for n in [20, 160, 600] {
        let points: Vec<_> = (0..n as u64)
            .map(|i| EdwardsPoint::mul_base(&Scalar::from(i)))
            .collect();
        for engine in engines() {
            let free = load(engine, &points);
            assert!(engine.random_combination(&free, &vec![[0xff; 16]; n]).1);
            for bit in 0..128 {
                let place = bit * 37 % n;
                let mut points = free.clone();
                let mut weights = vec![[0xff; 16]; n];
                let bound = EdwardsPoint::mul_base(&Scalar::from(7u8)) + EIGHT_TORSION[1 + bit % 7];
                points[place] = load(engine, &[bound])[0];
                weights[place] = (1u128 << bit).to_le_bytes();
                let (_, free) = engine.random_combination(&points, &weights);
                assert!(!free, "{engine:?} {n} {bit}");
            }
        }
    }
}
