//! Points from bytes, by the rule that all suites share: y canonical, on the
//! curve; x = 0 with the sign bit set is allowed (RFC 8032's decoders reject it,
//! the one-at-a-time VRF verifiers do not).

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::traits::IsIdentity;

/// Why 32 bytes are not a point.
pub(crate) enum NotAPoint {
    NotCanonical,
    NotOnCurve,
}

/// y < p? The sign bit does not count.
fn y_is_canonical(bytes: &[u8; 32]) -> bool {
    // p = 2^255-19 is ed ff … ff 7f in little endian.
    bytes[31] & 0x7f != 0x7f || bytes[1..31].iter().any(|&byte| byte != 0xff) || bytes[0] < 0xed
}

/// Decodes Y and Γ.
pub(crate) fn decode(bytes: &[u8; 32]) -> Result<EdwardsPoint, NotAPoint> {
    if !y_is_canonical(bytes) {
        return Err(NotAPoint::NotCanonical);
    }
    CompressedEdwardsY(*bytes)
        .decompress()
        .ok_or(NotAPoint::NotOnCurve)
}

/// Decodes U and V so that encoding gives the same bytes again: one-at-a-time
/// verification compares bytes, so a second encoding of the same point is wrong.
pub(crate) fn decode_strict(bytes: &[u8; 32]) -> Option<EdwardsPoint> {
    let point = decode(bytes).ok()?;
    // x = 0 only for y = 1 and y = -1, the points that doubling sends to the identity.
    let x_is_zero = (point + point).is_identity();
    (!(x_is_zero && bytes[31] & 0x80 != 0)).then_some(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn low(first: u8, sign: u8) -> [u8; 32] {
        let mut bytes = [0xff; 32];
        bytes[0] = first;
        bytes[31] = 0x7f | sign;
        bytes
    }

    #[test]
    fn canonical_up_to_p() {
        assert!(y_is_canonical(&low(0xec, 0)));
        assert!(y_is_canonical(&low(0xec, 0x80)));
        for first in 0xed..=0xff {
            assert!(!y_is_canonical(&low(first, 0)));
            assert!(!y_is_canonical(&low(first, 0x80)));
        }
    }

    #[test]
    fn strict_decoding_has_one_encoding_per_point() {
        let mut identity = [0; 32];
        identity[0] = 1;
        assert!(decode_strict(&identity).is_some());
        identity[31] = 0x80;
        assert!(decode(&identity).is_ok() && decode_strict(&identity).is_none());
        assert!(decode_strict(&low(0xec, 0)).is_some()); // (0, -1)
        assert!(decode_strict(&low(0xec, 0x80)).is_none());
        // y = 0 has order 4 and two points, one for each sign.
        let mut order_4 = [0; 32];
        assert!(decode_strict(&order_4).is_some());
        order_4[31] = 0x80;
        assert!(decode_strict(&order_4).is_some());
    }
}
