//! Every engine against curve25519-dalek.
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use lanes::{Engine, Point, engines};
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

fn load(engine: &dyn Engine, points: &[EdwardsPoint]) -> Vec<Point> {
    let encodings: Vec<_> = points.iter().map(|p| p.compress().to_bytes()).collect();
    let mut decoded = vec![Point::IDENTITY; points.len()];
    engine.decode(&encodings, &mut decoded, &mut vec![false; points.len()]);
    decoded
}

fn encode(engine: &dyn Engine, points: &[Point]) -> Vec<[u8; 32]> {
    let mut encodings = vec![[0; 32]; points.len()];
    engine.encode(points, &mut encodings);
    encodings
}

#[test]
fn torsion() {
    use curve25519_dalek::constants::EIGHT_TORSION;
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
    use curve25519_dalek::constants::EIGHT_TORSION;
    use curve25519_dalek::traits::VartimeMultiscalarMul;
    for engine in engines() {
        for n in [0usize, 1, 2, 7, 40, 300, 700] {
            let scalars: Vec<_> = (0..n as u64)
                .map(|i| Scalar::from_bytes_mod_order(random32(i)))
                .collect();
            let mut points: Vec<_> = (0..n as u64)
                .map(|i| EdwardsPoint::mul_base(&Scalar::from(i * i + 3)))
                .collect();
            let bytes: Vec<_> = scalars.iter().map(|s| s.to_bytes()).collect();
            let sum = engine.multiscalar_mul(&load(engine, &points), &bytes, 253);
            let expected = EdwardsPoint::vartime_multiscalar_mul(&scalars, &points);
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
