//! Encodings with a canonical y that verifiers treat specially: all encodings of points of small order, and
//! the second encodings of two points. They are so few that comparing bytes is enough to recognize them.

/// The canonical y-coordinates of the eight points of small order: 0 (order 4), 1 (identity), -1 (order 2),
/// and two more (order 8).
const SMALL_ORDER: [[u8; 32]; 5] = {
    let (zero, mut one, mut minus_one) = ([0; 32], [0; 32], [0xff; 32]);
    one[0] = 1;
    minus_one[0] = 0xec;
    minus_one[31] = 0x7f;
    [
        zero,
        one,
        minus_one,
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef,
            0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88,
            0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10,
            0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77,
            0x92, 0xac, 0x03, 0x7a,
        ],
    ]
};

/// True if an encoding has a [canonical](crate::y_is_canonical) y and encodes a point of small
/// order. The sign bit is ignored.
pub fn has_small_order(encoding: &[u8; 32]) -> bool {
    SMALL_ORDER.iter().any(|y| has_y(encoding, y))
}

/// True if the encoding has this y. The sign bit is ignored.
fn has_y(encoding: &[u8; 32], y: &[u8; 32]) -> bool {
    encoding[..31] == y[..31] && encoding[31] & 0x7f == y[31]
}

/// True if an encoding has a [canonical](crate::y_is_canonical) y and is the second encoding of its
/// point: the sign bit is set, but x = 0. Only y = 1 and y = -1 have x = 0.
pub fn is_second_encoding(encoding: &[u8; 32]) -> bool {
    let one = encoding[0] == 1 && encoding[1..31].iter().all(|&byte| byte == 0);
    let minus_one = encoding[0] == 0xec && encoding[1..31].iter().all(|&byte| byte == 0xff);
    one && encoding[31] == 0x80 || minus_one && encoding[31] == 0xff
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::edwards::CompressedEdwardsY;

    use super::*;
    use crate::y_is_canonical;

    /// The encoding of y = -1 with this sign bit.
    fn minus_one(sign: u8) -> [u8; 32] {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (0xec, 0x7f | sign);
        bytes
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes, and runs no unsafe code")]
    fn every_byte_of_a_y_of_small_order_counts() {
        for y in SMALL_ORDER {
            for (place, byte) in (0..32).flat_map(|i| (0..=0xff).map(move |byte| (i, byte))) {
                let mut encoding = y;
                encoding[place] = byte;
                let point = CompressedEdwardsY(encoding).decompress();
                let small = point.is_some_and(|point| point.is_small_order());
                let expected = small && y_is_canonical(&encoding);
                assert_eq!(has_small_order(&encoding), expected, "{encoding:02x?}");
            }
        }
    }

    #[test]
    fn two_points_have_a_second_encoding() {
        let mut identity = [0; 32];
        identity[0] = 1;
        assert!(!is_second_encoding(&identity));
        identity[31] = 0x80;
        assert!(is_second_encoding(&identity));
        assert!(!is_second_encoding(&minus_one(0)));
        assert!(is_second_encoding(&minus_one(0x80)));
        // Two points of order 4 have y = 0, one for each sign.
        let mut order_4 = [0; 32];
        order_4[31] = 0x80;
        assert!(!is_second_encoding(&order_4));
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes, and runs no unsafe code")]
    fn every_byte_of_a_second_encoding_counts() {
        let mut identity = [0; 32];
        (identity[0], identity[31]) = (1, 0x80);
        let seconds = [identity, minus_one(0x80)];
        for second in seconds {
            for (place, byte) in (0..32).flat_map(|i| (0..=0xff).map(move |byte| (i, byte))) {
                let mut bytes = second;
                bytes[place] = byte;
                let expected = seconds.contains(&bytes);
                assert_eq!(is_second_encoding(&bytes), expected, "{bytes:02x?}");
            }
        }
    }
}
