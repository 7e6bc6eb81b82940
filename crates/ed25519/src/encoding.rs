//! What the bytes of a point say: whether it is of small order, and whether they are its only
//! encoding.
//!
//! Eight points have an order that divides 8. They share five y-coordinates, of which 0 and 1 have
//! a second encoding, p and p + 1, since they are below 19. Comparing bytes with these seven costs
//! nothing beside the three doublings that would tell it otherwise.

use klero_lanes::y_is_canonical;

/// The y-coordinates in every encoding, without the sign of x.
const Y: [[u8; 32]; 7] = [
    // Order 4: y = 0, and p.
    [0; 32],
    ends(0xed, 0x7f),
    // Order 1: y = 1, and p + 1.
    [
        1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0,
    ],
    ends(0xee, 0x7f),
    // Order 2: y = -1.
    ends(0xec, 0x7f),
    // Order 8: two coordinates, negatives of each other.
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
        0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
        0x03, 0x7a,
    ],
];

/// 30 bytes of ones between a first and a last byte.
const fn ends(first: u8, last: u8) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    bytes[0] = first;
    bytes[31] = last;
    bytes
}

/// Whether these bytes, which are those of a point, are those of one of small order. Any encoding
/// of the point will do.
pub(crate) fn is_small_order(encoding: &[u8; 32]) -> bool {
    let mut y = *encoding;
    y[31] &= 0x7f;
    Y.contains(&y)
}

/// Whether these bytes, if they are those of a point, are the ones that encoding it gives: y is below
/// p, and the sign bit is not set where x is 0, which it is for y = 1 and y = -1.
pub(crate) fn is_canonical(encoding: &[u8; 32]) -> bool {
    const ONE: [u8; 32] = {
        let mut one = [0; 32];
        (one[0], one[31]) = (1, 0x80);
        one
    };
    const MINUS_ONE: [u8; 32] = ends(0xec, 0xff);
    y_is_canonical(encoding) && ![ONE, MINUS_ONE].contains(encoding)
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
    use curve25519_dalek::edwards::CompressedEdwardsY;

    use super::*;

    #[test]
    fn these_are_all_encodings_of_the_torsion_points() {
        for point in EIGHT_TORSION {
            assert!(is_small_order(&point.compress().to_bytes()));
            let other = (point + ED25519_BASEPOINT_POINT).compress().to_bytes();
            assert!(!is_small_order(&other));
        }
        for y in Y {
            let point = CompressedEdwardsY(y).decompress().unwrap();
            assert!(point.is_small_order());
        }
    }

    /// Only y-coordinates below 19 have a second encoding.
    #[test]
    fn other_encodings_of_small_numbers_are_judged_as_the_points_are() {
        for first in 0xed..=0xff {
            for last in [0x7f, 0xff] {
                let encoding = ends(first, last);
                if let Some(point) = CompressedEdwardsY(encoding).decompress() {
                    assert_eq!(is_small_order(&encoding), point.is_small_order());
                    let canonical = point.compress().to_bytes() == encoding;
                    assert_eq!(is_canonical(&encoding), canonical);
                }
            }
        }
    }

    #[test]
    fn every_byte_counts() {
        for y in Y {
            for (place, byte) in (0..32).flat_map(|i| (0..=0xff).map(move |byte| (i, byte))) {
                let mut encoding = y;
                encoding[place] = byte;
                if let Some(point) = CompressedEdwardsY(encoding).decompress() {
                    let expected = point.is_small_order();
                    assert_eq!(is_small_order(&encoding), expected, "{encoding:02x?}");
                    let expected = point.compress().to_bytes() == encoding;
                    assert_eq!(is_canonical(&encoding), expected, "{encoding:02x?}");
                }
            }
        }
    }
}
