//! Tests of elements of ristretto255.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Point, engines};

/// Tests multiples of the generator, and the invalid encodings of RFC 9496, appendix A.
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
                // i·G - P represents the identity, so it has small order.
                let sum = engine.multiscalar_mul(&scalar, &[*point], &[minus_one], 253);
                assert!(sum.is_small_order(), "{engine:?} {i}");
            }
        }
    }
}

/// Takes p - 1, p and p + 1 as encodings, and tries all 256 values in the place of each byte.
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
