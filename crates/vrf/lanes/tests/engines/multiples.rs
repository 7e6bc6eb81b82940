//! Tests of stages that compute one or two scalar multiples in each lane, with secret or public scalars.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point, engines};

use crate::support::{edge_integers, encode, exact, expect, load, random32};

/// Tests that every engine can use the `KnownPoint`s that any engine made. Some scalars have only extreme
/// digits, and some carry out of 128 bits when digits become signed. The points have torsion of every order.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn known_points() {
    let ends = [
        0, 1, 7, 8, 9, 0x77, 0x78, 0x7f, 0x80, 0x81, 0x88, 0xf8, 0xff,
    ];
    let points: Vec<_> = (0..30u64)
        .map(|i| EdwardsPoint::mul_base(&Scalar::from(i * i)) + EIGHT_TORSION[i as usize % 8])
        .collect();
    let c: Vec<[u8; 16]> = (0..points.len())
        .map(|i| match ends.get(i) {
            Some(byte) => [*byte; 16],
            None => random32(i as u64)[..16].try_into().unwrap(),
        })
        .collect();
    let s: Vec<[u8; 32]> = (0..points.len())
        .map(|i| match ends.get(i) {
            Some(byte) => {
                let mut s = [*byte; 32];
                s[31] &= 0x1f;
                s
            }
            None => Scalar::from_bytes_mod_order(random32(i as u64)).to_bytes(),
        })
        .collect();
    for maker in engines() {
        let known = maker.know(&load(maker, &points));
        let known: Vec<_> = known.iter().collect();
        for engine in engines() {
            let mut expected = load(engine, &points);
            engine.mul_base_sub(&s, &c, &load(engine, &points), &mut expected);
            let expected = encode(engine, &expected);
            for n in [0, 1, 5, 8, points.len()] {
                let mut out = vec![Point::IDENTITY; n];
                engine.mul_base_sub_known(&s[..n], &c[..n], &known[..n], &mut out);
                assert_eq!(encode(engine, &out), expected[..n], "{maker:?} {engine:?}");
            }
        }
        // Multipliers with one nonzero byte, which stands at each index in turn.
        for byte in 0..16 {
            let mut c = [0; 16];
            c[byte] = 0x88;
            let mut out = [Point::IDENTITY];
            maker.mul_base_sub_known(&[[0; 32]], &[c], &known[3..4], &mut out);
            let c = Scalar::from(u128::from_le_bytes(c));
            expect(maker, &out, |_| -(points[3] * c));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn secret_multiples() {
    let scalars = |seed: u64| -> Vec<Scalar> {
        let edge = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(2u8)];
        let random = (0..15).map(|i| Scalar::from_bytes_mod_order(random32(seed + i)));
        edge.into_iter().chain(random).collect()
    };
    let (x, k) = (scalars(0), scalars(1000));
    let [x_bytes, k_bytes] = [&x, &k].map(|s| Vec::from_iter(s.iter().map(Scalar::to_bytes)));
    let p: Vec<_> = (0..x.len() as u64)
        .map(|i| EdwardsPoint::mul_base(&Scalar::from(i * i)))
        .collect();
    for engine in engines() {
        let points = load(engine, &p);
        for mul in [Engine::secret_mul, Engine::secret_mul_alone] {
            let mut out = points.clone();
            mul(engine, &points, &x_bytes, &mut out);
            expect(engine, &out, |i| p[i] * x[i]);
        }
        let [mut xp, mut kp, mut kb] = [(); 3].map(|()| points.clone());
        engine.secret_mul_pair(&points, &x_bytes, &k_bytes, &mut xp, &mut kp);
        engine.secret_mul_base(&k_bytes, &mut kb);
        let [mut xp_alone, mut kp_alone, mut kb_alone] = [(); 3].map(|()| points.clone());
        let out = (&mut xp_alone, &mut kp_alone, &mut kb_alone);
        engine.secret_prove_alone(&points, &x_bytes, &k_bytes, out.0, out.1, out.2);
        for [xp, kp, kb] in [[xp, kp, kb], [xp_alone, kp_alone, kb_alone]] {
            expect(engine, &xp, |i| p[i] * x[i]);
            expect(engine, &kp, |i| p[i] * k[i]);
            expect(engine, &kb, |i| EdwardsPoint::mul_base(&k[i]));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn multiples_of_points_with_torsion_are_exact() {
    let base = EdwardsPoint::mul_base(&Scalar::ONE);
    // Three vectors of eight lanes, and three more points.
    let p: Vec<_> = (0..27u64)
        .map(|i| EdwardsPoint::mul_base(&Scalar::from(i / 2)) + EIGHT_TORSION[i as usize % 8])
        .collect();
    let n = p.len();
    let small: Vec<i8> = (0..n).map(|i| (i % 9) as i8 - 4).collect();
    let (edges_32, edges_16) = (edge_integers::<32>(0x10), edge_integers::<16>(0x80));
    for turn in 0..edges_32.len() {
        let s: Vec<_> = (0..n)
            .map(|i| edges_32[(turn + i) % edges_32.len()])
            .collect();
        let m: Vec<_> = (0..n)
            .map(|i| edges_32[(turn + 3 * i) % edges_32.len()])
            .collect();
        let c: Vec<_> = (0..n)
            .map(|i| edges_16[(turn + 5 * i) % edges_16.len()])
            .collect();
        for engine in engines() {
            let points = load(engine, &p);
            let h: Vec<_> = points.iter().rev().copied().collect();
            let mut out = points.clone();
            engine.sub_small_multiple(&h, &small, &points, &mut out);
            engine.normalize(&mut out);
            expect(engine, &out, |i| {
                let multiple = exact(&p[i], &[small[i].unsigned_abs()]);
                p[n - 1 - i] - if small[i] < 0 { -multiple } else { multiple }
            });
            engine.mul_base_sub(&s, &c, &points, &mut out);
            expect(engine, &out, |i| exact(&base, &s[i]) - exact(&p[i], &c[i]));
            // Each count is odd, so the last item has no partner for a pair.
            for n in [n, 1, 3] {
                engine.mul_base_sub_alone(&s[..n], &m[..n], &points[..n], &mut out[..n]);
                expect(engine, &out[..n], |i| {
                    exact(&base, &s[i]) - exact(&p[i], &m[i])
                });
            }
            engine.mul_sub(&s, &h, &c, &points, &mut out);
            expect(engine, &out, |i| {
                exact(&p[n - 1 - i], &s[i]) - exact(&p[i], &c[i])
            });
            engine.mul_add(&s, &h, &m, &points, &mut out);
            expect(engine, &out, |i| {
                exact(&p[n - 1 - i], &s[i]) + exact(&p[i], &m[i])
            });
            for subtract in [false, true] {
                let mut pairs = vec![[Point::IDENTITY; 2]; n];
                let (a, b): (Vec<_>, Vec<_>) = (0..n)
                    .map(|i| ([Point::BASE, h[i]], [points[(i + 1) % n], points[i]]))
                    .unzip();
                engine.mul_alone(&s, &a, &m, &b, subtract, &mut pairs);
                let (u, v): (Vec<_>, Vec<_>) = pairs.into_iter().map(|[u, v]| (u, v)).unzip();
                let sign = |p: EdwardsPoint| if subtract { -p } else { p };
                expect(engine, &u, |i| {
                    exact(&base, &s[i]) + sign(exact(&p[(i + 1) % n], &m[i]))
                });
                expect(engine, &v, |i| {
                    exact(&p[n - 1 - i], &s[i]) + sign(exact(&p[i], &m[i]))
                });
            }
        }
    }
}

/// Unused bits of scalars do not change the result.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn any_bits_do() {
    let base = Point::BASE;
    for engine in engines() {
        let one = engine.multiscalar_mul(&[0x7f; 32], &[base], &[[0xff; 32]], 255);
        let mut top = [0x7f; 32];
        top[31] = 0xff;
        let same = engine.multiscalar_mul(&top, &[base], &[[0xff; 32]], 5000);
        assert_eq!(encode(engine, &[one]), encode(engine, &[same]));
        let mut lowest = [0xff; 32];
        lowest[31] = 0x1f;
        for (high, low) in [([0xff; 32], lowest), ([0xe0; 32], [0xe0; 32])] {
            let mut out = [base; 2];
            engine.mul_add(&[high, low], &[base; 2], &[high, low], &[base; 2], &mut out);
            let [all_bits, lowest_bits] = encode(engine, &out)[..] else {
                unreachable!()
            };
            assert_eq!(all_bits, lowest_bits);
        }
        // For a scalar that is not below L, the result has no meaning, but the call must not panic.
        engine.secret_mul_base(&[[0xff; 32]; 3], &mut [base; 3]);
    }
}
