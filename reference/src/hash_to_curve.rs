//! ECVRF_encode_to_curve, with the public key as salt (RFC 9381, section 5.4.1): from
//! `pk ‖ alpha` to a point H of order L.

use num_bigint::BigUint;
use sha2::{Digest, Sha512};

use crate::curve::{Point, decode};
use crate::field::{Field, int, int_le};
use crate::suite::{Map, Suite};

/// H; None if try and increment finds no point in 256 tries (probability 2^-256).
pub fn hash_to_curve(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Option<Point> {
    Some(map_to_curve(suite, pk, alpha)?.mul(&int(8)))
}

/// The point before its torsion is cleared: H is eight times this point.
pub fn map_to_curve(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Option<Point> {
    match suite.map {
        Map::Tai => try_and_increment(suite, pk, alpha),
        Map::Draft03 => Some(elligator2_draft03(suite, pk, alpha)),
        Map::Ell2 => Some(elligator2_rfc9380(suite, pk, alpha)),
    }
}

/// RFC 9381, section 5.4.1.1: the first of 256 hashes that encodes a point.
fn try_and_increment(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Option<Point> {
    (0..=255).find_map(|counter| {
        let hash = suite.hash_32(&[&[suite.octet, 1], pk, alpha, &[counter, 0]]);
        decode(&hash).ok()
    })
}

/// draft-irtf-cfrg-vrf-03, section 5.4.1.2, as deployed: the sign bit of the hash is
/// cleared before the map, and x is always the even root.
fn elligator2_draft03(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Point {
    let mut hash = suite.hash_32(&[&[suite.octet, 1], pk, alpha]);
    hash[31] &= 0x7f;
    let (u, _, _) = elligator2(&Field::new(int_le(&hash)));
    Point::from_y(edwards_y(&u), false).expect("Elligator2 gives a point")
}

/// The domain separation tag of RFC 9381, section 5.5, without the suite octet.
pub const ELL2_DST: &[u8] = b"ECVRF_edwards25519_XMD:SHA-512_ELL2_NU_";

/// RFC 9381, section 5.4.1.2: edwards25519_XMD:SHA-512_ELL2_NU_ (RFC 9380, sections 5.2 and
/// 6.8.2, with the rational map of appendix D.1).
fn elligator2_rfc9380(suite: &Suite, pk: &[u8; 32], alpha: &[u8]) -> Point {
    let dst = [ELL2_DST, &[suite.octet]].concat();
    let uniform = expand_message_xmd_48(&[pk, alpha].concat(), &dst);
    let (u, w, first) = elligator2(&Field::new(BigUint::from_bytes_be(&uniform)));
    let v = w.sqrt().expect("w is a square").with_parity(first);
    let root = (-&Field::small(486664)).sqrt().expect("a square");
    Point::affine(&(&root * &u) * &v.invert(), edwards_y(&u))
}

/// Elligator2 to the Montgomery curve v² = w = u³ + A·u² + u with A = 486662 (RFC 9380,
/// section 6.7.1, Z = 2): u, w, and whether the first candidate for u is the one.
fn elligator2(r: &Field) -> (Field, Field, bool) {
    let (one, a) = (Field::small(1), Field::small(486662));
    let w = |u: &Field| &(&(&(u * u) + &(&a * u)) + &one) * u;
    let u1 = &-&a * &(&one + &(&Field::small(2) * &(r * r))).invert();
    if w(&u1).sqrt().is_some() {
        (u1.clone(), w(&u1), true)
    } else {
        let u2 = &-&a - &u1;
        (u2.clone(), w(&u2), false)
    }
}

/// The y of the Edwards curve for a u of the Montgomery curve (RFC 7748, section 4.1).
fn edwards_y(u: &Field) -> Field {
    let one = Field::small(1);
    &(u - &one) * &(u + &one).invert()
}

/// expand_message_xmd with SHA-512 for 48 bytes, for which the block b_1 suffices (RFC 9380,
/// section 5.3.1).
fn expand_message_xmd_48(msg: &[u8], dst: &[u8]) -> [u8; 48] {
    let dst_prime = [dst, &[dst.len() as u8]].concat();
    let z_pad = [0; 128];
    let b_0 = Sha512::digest([&z_pad, msg, &[0, 48], &[0], &dst_prime].concat());
    let b_1 = Sha512::digest([&b_0[..], &[1], &dst_prime].concat());
    *b_1.first_chunk().expect("64 bytes")
}
