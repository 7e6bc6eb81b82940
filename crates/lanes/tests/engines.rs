//! Every engine against curve25519-dalek.

use std::slice;

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{Identity, VartimeMultiscalarMul};
use klero_lanes::{Elligator2, Engine, Point, engines};
use sha2::{Digest, Sha512};

fn random32(seed: u64) -> [u8; 32] {
    let digest = Sha512::digest(seed.to_le_bytes());
    digest[..32].try_into().unwrap()
}

#[test]
fn decode_and_encode() {
    for engine in engines() {
        for n in [1, 3, 8, 15, 16, 17, 130] {
            if cfg!(miri) && n > 3 {
                continue; // Some take minutes.
            }
            let bytes: Vec<[u8; 32]> = (0..n).map(|i| random32(i as u64)).collect();
            let mut points = vec![Point::IDENTITY; n];
            let mut ok = vec![false; n];
            engine.decode(&bytes, &mut points, &mut ok);
            let mut encoded = vec![[0; 32]; n];
            engine.encode(&points, &mut encoded);
            for i in 0..n {
                let expected = CompressedEdwardsY(bytes[i]).decompress();
                assert_eq!(expected.is_some(), ok[i], "{}", engine.name());
                if let Some(p) = expected {
                    assert_eq!(p.compress().to_bytes(), encoded[i], "{}", engine.name());
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn multiples() {
    for engine in engines() {
        let n = 19usize;
        let scalars = |seed: u64| -> Vec<Scalar> {
            (0..n as u64)
                .map(|i| Scalar::from_bytes_mod_order(random32(seed + i)))
                .collect()
        };
        let (s, m) = (scalars(0), scalars(1000));
        let bytes = |s: &[Scalar]| -> Vec<[u8; 32]> { s.iter().map(|s| s.to_bytes()).collect() };
        let (s_bytes, m_bytes) = (bytes(&s), bytes(&m));
        let c_bytes: Vec<[u8; 16]> = m_bytes
            .iter()
            .map(|m| m[..16].try_into().unwrap())
            .collect();
        let c: Vec<Scalar> = c_bytes
            .iter()
            .map(|c| Scalar::from(u128::from_le_bytes(*c)))
            .collect();
        let p: Vec<_> = (0..n as u64)
            .map(|i| EdwardsPoint::mul_base(&Scalar::from(i * i + 1)))
            .collect();
        let points = load(engine, &p);
        let h: Vec<_> = points.iter().rev().copied().collect();
        let mut out = points.clone();
        engine.mul_base_sub(&s_bytes, &c_bytes, &points, &mut out);
        for (i, encoding) in encode(engine, &out).into_iter().enumerate() {
            let expected = EdwardsPoint::mul_base(&s[i]) - p[i] * c[i];
            assert_eq!(expected.compress().to_bytes(), encoding, "{engine:?} {i}");
        }
        engine.mul_sub(&s_bytes, &h, &c_bytes, &points, &mut out);
        for (i, encoding) in encode(engine, &out).into_iter().enumerate() {
            let expected = p[n - 1 - i] * s[i] - p[i] * c[i];
            assert_eq!(expected.compress().to_bytes(), encoding, "{engine:?} {i}");
        }
        engine.mul_add(&s_bytes, &h, &m_bytes, &points, &mut out);
        for (i, encoding) in encode(engine, &out).into_iter().enumerate() {
            let expected = p[n - 1 - i] * s[i] + p[i] * m[i];
            assert_eq!(expected.compress().to_bytes(), encoding, "{engine:?} {i}");
        }
        let small: Vec<i8> = (0..n).map(|i| (i % 9) as i8 - 4).collect();
        engine.sub_small_multiple(&h, &small, &points, &mut out);
        engine.normalize(&mut out);
        for (i, encoding) in encode(engine, &out).into_iter().enumerate() {
            let magnitude = Scalar::from(small[i].unsigned_abs());
            let m = if small[i] < 0 { -magnitude } else { magnitude };
            let expected = p[n - 1 - i] - p[i] * m;
            assert_eq!(expected.compress().to_bytes(), encoding, "{engine:?} {i}");
        }
    }
}

/// Multiples made by one engine serve every other. The scalars have all digits at their
/// extremes, and a carry out of 128 bits; the points have every torsion.
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
        // A digit of the multiplier by itself, at every place.
        for byte in 0..16 {
            let mut c = [0; 16];
            c[byte] = 0x88;
            let mut out = [Point::IDENTITY];
            maker.mul_base_sub_known(&[[0; 32]], &[c], &known[3..4], &mut out);
            let c = Scalar::from(u128::from_le_bytes(c));
            let expected = -(points[3] * c);
            assert_eq!(encode(maker, &out)[0], expected.compress().to_bytes());
        }
    }
}

fn load(engine: Engine, points: &[EdwardsPoint]) -> Vec<Point> {
    let encodings: Vec<_> = points.iter().map(|p| p.compress().to_bytes()).collect();
    let mut decoded = vec![Point::IDENTITY; points.len()];
    engine.decode(&encodings, &mut decoded, &mut vec![false; points.len()]);
    decoded
}

fn encode(engine: Engine, points: &[Point]) -> Vec<[u8; 32]> {
    let mut encodings = vec![[0; 32]; points.len()];
    engine.encode(points, &mut encodings);
    encodings
}

#[test]
fn torsion() {
    for engine in engines() {
        let mut points = Vec::new();
        for i in 0..if cfg!(miri) { 1 } else { 40u64 } {
            let p = EdwardsPoint::mul_base(&Scalar::from(i * i));
            for t in EIGHT_TORSION {
                points.push(p + t);
            }
        }
        let encodings: Vec<_> = points.iter().map(|p| p.compress().to_bytes()).collect();
        let n = points.len();
        let mut decoded = vec![Point::IDENTITY; n];
        engine.decode(&encodings, &mut decoded, &mut vec![false; n]);
        let mut free = vec![false; n];
        engine.torsion_free(&decoded, &mut free);
        for (p, free) in points.iter().zip(&free) {
            assert_eq!(p.is_torsion_free(), *free, "{}", engine.name());
        }
    }
}

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
            assert_eq!(
                encode(engine, &[sum])[0],
                expected.compress().to_bytes(),
                "{} {n}",
                engine.name()
            );

            let weights: Vec<[u8; 16]> =
                bytes.iter().map(|b| b[..16].try_into().unwrap()).collect();
            let wide: Vec<_> = weights
                .iter()
                .map(|w| Scalar::from(u128::from_le_bytes(*w)))
                .collect();
            let (sum, free) = engine.random_combination(&load(engine, &points), &weights);
            let expected = EdwardsPoint::vartime_multiscalar_mul(&wide, &points);
            assert_eq!(
                encode(engine, &[sum])[0],
                expected.compress().to_bytes(),
                "{} {n}",
                engine.name()
            );
            assert!(free);
            for t in &EIGHT_TORSION[1..] {
                if n > 0 {
                    points[n / 2] += t;
                    assert!(
                        !engine
                            .random_combination(&load(engine, &points), &weights)
                            .1
                    );
                    points[n / 2] -= t;
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn secret_multiples() {
    for engine in engines() {
        let scalars = |seed: u64| -> Vec<Scalar> {
            let edge = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(2u8)];
            let random = (0..15).map(|i| Scalar::from_bytes_mod_order(random32(seed + i)));
            edge.into_iter().chain(random).collect()
        };
        let (x, k) = (scalars(0), scalars(1000));
        let bytes = |s: &[Scalar]| -> Vec<[u8; 32]> { s.iter().map(|s| s.to_bytes()).collect() };
        let p: Vec<_> = (0..x.len() as u64)
            .map(|i| EdwardsPoint::mul_base(&Scalar::from(i * i)))
            .collect();
        let points = load(engine, &p);
        let (mut xp, mut kp, mut kb) = (points.clone(), points.clone(), points.clone());
        engine.secret_mul_pair(&points, &bytes(&x), &bytes(&k), &mut xp, &mut kp);
        engine.secret_mul_base(&bytes(&k), &mut kb);
        for mul in [Engine::secret_mul, Engine::secret_mul_alone] {
            let mut out = points.clone();
            mul(engine, &points, &bytes(&x), &mut out);
            assert_eq!(encode(engine, &out), encode(engine, &xp), "{engine:?}");
        }
        let [mut xp_alone, mut kp_alone, mut kb_alone] = [0; 3].map(|_| points.clone());
        engine.secret_prove_alone(
            &points,
            &bytes(&x),
            &bytes(&k),
            &mut xp_alone,
            &mut kp_alone,
            &mut kb_alone,
        );
        assert_eq!(encode(engine, &xp_alone), encode(engine, &xp));
        assert_eq!(encode(engine, &kp_alone), encode(engine, &kp));
        assert_eq!(encode(engine, &kb_alone), encode(engine, &kb));
        let (xp, kp, kb) = (
            encode(engine, &xp),
            encode(engine, &kp),
            encode(engine, &kb),
        );
        for i in 0..x.len() {
            let expected = |p: EdwardsPoint| p.compress().to_bytes();
            assert_eq!(xp[i], expected(p[i] * x[i]), "{engine:?} {i}");
            assert_eq!(kp[i], expected(p[i] * k[i]), "{engine:?} {i}");
            assert_eq!(
                kb[i],
                expected(EdwardsPoint::mul_base(&k[i])),
                "{engine:?} {i}"
            );
        }
    }
}

/// The integer multiple, as points with torsion feel it.
fn exact(p: &EdwardsPoint, integer: &[u8]) -> EdwardsPoint {
    let mut sum = EdwardsPoint::identity();
    for byte in integer.iter().rev() {
        for bit in (0..8).rev() {
            sum += sum;
            if byte >> bit & 1 == 1 {
                sum += p;
            }
        }
    }
    sum
}

/// Integers whose digits carry far, are all alike, or reach the top.
fn edge_integers<const N: usize>(top: u8) -> Vec<[u8; N]> {
    let mut edges: Vec<[u8; N]> = [0, 0xff, 0x80, 0x7f, 0x88, 0x55, 0x10, 0x0f]
        .map(|byte| [byte; N])
        .to_vec();
    let mut one = [0; N];
    one[0] = 1;
    let mut highest = [0; N];
    highest[N - 1] = top;
    let order = -Scalar::ONE;
    let mut below_order = [0; N];
    below_order.copy_from_slice(&order.to_bytes()[..N]);
    edges.extend([one, highest, below_order]);
    edges.extend((0..12).map(|i| {
        let mut random = [0; N];
        random.copy_from_slice(&random32(i)[..N]);
        random
    }));
    for edge in &mut edges {
        edge[N - 1] &= (top << 1).wrapping_sub(1);
    }
    edges
}

#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn multiples_of_points_with_torsion_are_exact() {
    let base = EdwardsPoint::mul_base(&Scalar::ONE);
    let p: Vec<_> = (0..24u64)
        .map(|i| EdwardsPoint::mul_base(&Scalar::from(i / 2)) + EIGHT_TORSION[i as usize % 8])
        .collect();
    let n = p.len();
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
            let expect = |out: &[Point], expected: &dyn Fn(usize) -> EdwardsPoint| {
                for (i, encoding) in encode(engine, out).into_iter().enumerate() {
                    let expected = expected(i).compress().to_bytes();
                    assert_eq!(encoding, expected, "{engine:?} {turn} {i}");
                }
            };
            engine.mul_base_sub(&s, &c, &points, &mut out);
            expect(&out, &|i| exact(&base, &s[i]) - exact(&p[i], &c[i]));
            engine.mul_base_sub_long(&s, &m, &points, &mut out);
            expect(&out, &|i| exact(&base, &s[i]) - exact(&p[i], &m[i]));
            // Pairs, and one without a partner.
            for n in [n, 1, 3] {
                engine.mul_base_sub_alone(&s[..n], &m[..n], &points[..n], &mut out[..n]);
                expect(&out[..n], &|i| exact(&base, &s[i]) - exact(&p[i], &m[i]));
            }
            engine.mul_sub(&s, &h, &c, &points, &mut out);
            expect(&out, &|i| exact(&p[n - 1 - i], &s[i]) - exact(&p[i], &c[i]));
            engine.mul_add(&s, &h, &m, &points, &mut out);
            expect(&out, &|i| exact(&p[n - 1 - i], &s[i]) + exact(&p[i], &m[i]));
            for subtract in [false, true] {
                let mut pairs = vec![[Point::IDENTITY; 2]; n];
                let (a, b): (Vec<_>, Vec<_>) = (0..n)
                    .map(|i| ([Point::BASE, h[i]], [points[(i + 1) % n], points[i]]))
                    .unzip();
                engine.mul_alone(&s, &a, &m, &b, subtract, &mut pairs);
                let (u, v): (Vec<_>, Vec<_>) = pairs.into_iter().map(|[u, v]| (u, v)).unzip();
                let sign = |p: EdwardsPoint| if subtract { -p } else { p };
                expect(&u, &|i| {
                    exact(&base, &s[i]) + sign(exact(&p[(i + 1) % n], &m[i]))
                });
                expect(&v, &|i| {
                    exact(&p[n - 1 - i], &s[i]) + sign(exact(&p[i], &m[i]))
                });
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
            let sum = |terms: &[&[u8]]| -> EdwardsPoint {
                let terms = p.iter().zip(terms).map(|(p, s)| exact(p, s));
                terms.sum()
            };
            let expected = sum(&scalars.iter().map(|s| &s[..]).collect::<Vec<_>>());
            let expected = (exact(&base, s) + expected).compress().to_bytes();
            let weighted = sum(&weights.iter().map(|w| &w[..]).collect::<Vec<_>>());
            let weighted = weighted.compress().to_bytes();
            for engine in engines() {
                let points = load(engine, &p[..n]);
                for bits in [253, 255, 1000] {
                    let found = engine.multiscalar_mul(s, &points, &scalars, bits);
                    assert_eq!(
                        encode(engine, &[found])[0],
                        expected,
                        "{engine:?} {n} {turn}"
                    );
                }
                let (found, free) = engine.random_combination(&points, &weights);
                assert_eq!(
                    encode(engine, &[found])[0],
                    weighted,
                    "{engine:?} {n} {turn}"
                );
                assert_eq!(free, p[..n].iter().all(|p| p.is_torsion_free()));
            }
        }
    }
}

/// Torsion is found with an error of 2^-128 only if each of the 128 bits of the weights is looked
/// at: each finds it alone.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn every_bit_of_a_weight_finds_torsion() {
    // From 160 points on bits choose subsets, and from 600 on a byte at a time.
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

/// Whatever points one engine stores another can load: their limbs are bounded alike.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn points_go_from_engine_to_engine() {
    let encodings: Vec<_> = (0..2000).map(random32).collect();
    for from in engines() {
        let mut points = vec![Point::IDENTITY; encodings.len()];
        from.decode(&encodings, &mut points, &mut vec![false; encodings.len()]);
        let mut expected = points.clone();
        from.mul_by_cofactor(&points, &mut expected);
        let expected = encode(from, &expected);
        for to in engines() {
            let mut found = points.clone();
            to.mul_by_cofactor(&points, &mut found);
            assert_eq!(encode(to, &found), expected, "{from:?} to {to:?}");
        }
        assert!(points.iter().all(|p| !p.is_small_order()));
    }
}

/// Bits of scalars beyond those that count change nothing.
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
        // Not below L: no multiple, but no panic either.
        engine.secret_mul_base(&[[0xff; 32]; 3], &mut [base; 3]);
    }
}

/// Test vectors of RFC 9496, appendix A: multiples of the generator, and encodings that
/// are none.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn ristretto() {
    let multiples: Vec<[u8; 32]> = (0..40u64)
        .map(|i| {
            RistrettoPoint::mul_base(&Scalar::from(i))
                .compress()
                .to_bytes()
        })
        .collect();
    let mut wrong = Vec::new();
    for hex in [
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20",
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
        "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
        let bytes = (0..32).map(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap());
        wrong.push(<[u8; 32]>::try_from(bytes.collect::<Vec<_>>()).unwrap());
    }
    let all = [multiples.clone(), wrong].concat();
    for engine in engines() {
        let mut points = vec![Point::IDENTITY; all.len()];
        let mut valid = vec![false; all.len()];
        engine.decode_ristretto(&all, &mut points, &mut valid);
        for (i, (point, valid)) in points.iter().zip(valid).enumerate() {
            assert_eq!(valid, i < multiples.len(), "{engine:?} {i}");
            if valid {
                let mut scalar = [0; 32];
                scalar[0] = i as u8;
                let minus_one = (-Scalar::ONE).to_bytes();
                // i·G - P stands for the identity, and so has small order.
                let sum = engine.multiscalar_mul(&scalar, &[*point], &[minus_one], 253);
                assert!(sum.is_small_order(), "{engine:?} {i}");
            }
        }
    }
}

/// Every byte at every place of p and of its neighbours.
#[test]
#[cfg_attr(miri, ignore = "a root takes minutes")]
fn every_byte_of_an_element_of_ristretto_counts() {
    let mut encodings = Vec::new();
    for first in [0xec, 0xed, 0xee] {
        for (place, byte) in (0..32).flat_map(|i| (0..=0xff).map(move |byte| (i, byte))) {
            let mut encoding = [0xff; 32];
            (encoding[0], encoding[31]) = (first, 0x7f);
            encoding[place] = byte;
            encodings.push(encoding);
        }
    }
    let expected: Vec<_> = encodings
        .iter()
        .map(|encoding| CompressedRistretto(*encoding).decompress().is_some())
        .collect();
    for engine in engines() {
        let mut points = vec![Point::IDENTITY; encodings.len()];
        let mut valid = vec![false; encodings.len()];
        engine.decode_ristretto(&encodings, &mut points, &mut valid);
        for (i, encoding) in encodings.iter().enumerate() {
            assert_eq!(valid[i], expected[i], "{engine:?} {encoding:02x?}");
        }
    }
}

#[test]
fn the_base_point_is_that_of_rfc_8032() {
    let mut encoding = [0x66; 32];
    encoding[0] = 0x58;
    let base = CompressedEdwardsY(encoding).decompress().unwrap();
    for engine in engines() {
        assert_eq!(encode(engine, &[Point::BASE])[0], encoding);
        // And T is right: a sum takes it.
        let twice = encode(engine, &[Point::BASE.plus(&Point::BASE)])[0];
        assert_eq!(twice, (base + base).compress().to_bytes());
    }
}

/// Points to decode and elements to map share vectors: where one kind ends and the
/// other begins changes nothing.
#[test]
#[cfg_attr(miri, ignore = "a product takes minutes")]
fn decoding_and_mapping_together() {
    for engine in engines() {
        for form in [Elligator2::Draft03, Elligator2::Rfc9380] {
            let r: Vec<_> = (0..40).map(random32).collect();
            let mut mapped_alone = vec![Point::IDENTITY; r.len()];
            for (r, mapped) in r.iter().zip(&mut mapped_alone) {
                let (r, mapped) = (slice::from_ref(r), slice::from_mut(mapped));
                engine.decode_and_map(&[], &mut [], &mut [], r, form, mapped);
            }
            let mapped_alone = encode(engine, &mapped_alone);
            for decoded in [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 20, 32] {
                for n in [0, 1, 2, 5, 6, 7, 8, 14, 16, 17, 33] {
                    let encodings: Vec<_> = (100..100 + decoded).map(random32).collect();
                    let mut points = vec![Point::IDENTITY; encodings.len()];
                    let mut on_curve = vec![false; encodings.len()];
                    let mut mapped = vec![Point::IDENTITY; n];
                    engine.decode_and_map(
                        &encodings,
                        &mut points,
                        &mut on_curve,
                        &r[..n],
                        form,
                        &mut mapped,
                    );
                    assert_eq!(
                        encode(engine, &mapped),
                        mapped_alone[..n],
                        "{engine:?} {decoded}"
                    );
                    let encoded = encode(engine, &points);
                    for (i, encoding) in encodings.iter().enumerate() {
                        let expected = CompressedEdwardsY(*encoding).decompress();
                        assert_eq!(expected.is_some(), on_curve[i], "{engine:?} {decoded} {n}");
                        if let Some(p) = expected {
                            assert_eq!(p.compress().to_bytes(), encoded[i], "{engine:?}");
                        }
                    }
                }
            }
        }
    }
}
