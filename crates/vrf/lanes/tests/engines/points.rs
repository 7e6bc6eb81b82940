//! Tests of decoding, encoding and mapping to points, of torsion, and of the exchange between engines.

use std::slice;

use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Elligator2, Engine, Point, engines};

use crate::support::{encode, expect, load, random32};

/// Asserts that curve25519-dalek decodes the encodings to the same points, and refuses the same encodings.
#[track_caller]
fn expect_decoded(engine: Engine, encodings: &[[u8; 32]], points: &[Point], on_curve: &[bool]) {
    let encoded = encode(engine, points);
    for (i, encoding) in encodings.iter().enumerate() {
        let expected = CompressedEdwardsY(*encoding).decompress();
        assert_eq!(expected.is_some(), on_curve[i], "{engine:?} {i}");
        if let Some(p) = expected {
            assert_eq!(p.compress().to_bytes(), encoded[i], "{engine:?} {i}");
        }
    }
}

#[test]
fn decode_and_encode() {
    for engine in engines() {
        for n in [1, 3, 8, 15, 16, 17, 130] {
            if cfg!(miri) && n > 3 {
                continue; // Larger numbers take minutes.
            }
            let bytes: Vec<[u8; 32]> = (0..n).map(|i| random32(i as u64)).collect();
            let mut points = vec![Point::IDENTITY; n];
            let mut on_curve = vec![false; n];
            engine.decode(&bytes, &mut points, &mut on_curve);
            expect_decoded(engine, &bytes, &points, &on_curve);
        }
    }
}

#[test]
fn torsion() {
    for engine in engines() {
        let mut points = Vec::new();
        for i in 0..if cfg!(miri) { 1 } else { 40u64 } {
            let p = EdwardsPoint::mul_base(&Scalar::from(i * i));
            points.extend(EIGHT_TORSION.map(|t| p + t));
        }
        let mut free = vec![false; points.len()];
        engine.torsion_free(&load(engine, &points), &mut free);
        for (p, free) in points.iter().zip(&free) {
            assert_eq!(p.is_torsion_free(), *free, "{}", engine.name());
        }
    }
}

/// Every engine can load points that another engine stored: all engines store limbs with the same bounds.
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

/// If one or two points are left over by full vectors, their coordinates share a vector. All other points
/// have a lane each.
#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_cofactor_of_any_number_of_points() {
    let multiples = [0, 1, 2, 8, u64::MAX].map(|k| EdwardsPoint::mul_base(&Scalar::from(k)));
    let points = multiples.iter().flat_map(|p| EIGHT_TORSION.map(|t| p + t));
    let points: Vec<EdwardsPoint> = points.collect();
    let expected = points.iter().map(|p| p + ED25519_BASEPOINT_POINT);
    let expected: Vec<_> = expected.map(|p| p.mul_by_cofactor()).collect();
    for engine in engines() {
        // The addition makes Z other than 1, and replaces the T that the decoder computed.
        let decoded = load(engine, &points).into_iter();
        let decoded: Vec<_> = decoded.map(|p| p.plus(&Point::BASE)).collect();
        for n in [1, 2, 3, 7, 8, 9, 40] {
            for (points, expected) in decoded.chunks(n).zip(expected.chunks(n)) {
                let mut out = vec![Point::IDENTITY; points.len()];
                engine.mul_by_cofactor(points, &mut out);
                expect(engine, &out, |i| expected[i]);
                // Tests the coordinate T of the results: `plus` reads T, but `encode` does not.
                let sums: Vec<_> = out.iter().zip(points).map(|(p, q)| p.plus(q)).collect();
                let mut ninefold = out.clone();
                engine.sub_small_multiple(&out, &vec![-1; out.len()], points, &mut ninefold);
                assert_eq!(encode(engine, &sums), encode(engine, &ninefold));
            }
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
        // Tests the coordinate T of the base point: `plus` reads T, but `encode` does not.
        let twice = encode(engine, &[Point::BASE.plus(&Point::BASE)])[0];
        assert_eq!(twice, (base + base).compress().to_bytes());
    }
}

/// Points to decode and elements to map share vectors. The results do not depend on where the
/// points end and the elements begin.
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
                    expect_decoded(engine, &encodings, &points, &on_curve);
                }
            }
        }
    }
}
