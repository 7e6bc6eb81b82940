//! Rules, one step after the other: libsodium's, in `crypto_sign/ed25519/ref10/open.c` of version
//! 1.0.18 without `ED25519_COMPAT`; ZIP 215; and SIMD-0376.

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use sha2::{Digest, Sha512};

use crate::cases::Case;

pub(crate) fn libsodium(case: &Case) -> bool {
    let (r, s) = case.signature.split_at(32);
    let (r, s): ([u8; 32], [u8; 32]) = (r.try_into().unwrap(), s.try_into().unwrap());
    // Below 2^252, s is below L.
    if s[31] & 0xf0 != 0 && !is_below_l(&s) {
        return false;
    }
    if has_small_order(&r) {
        return false;
    }
    if !y_is_canonical(&case.key) || has_small_order(&case.key) {
        return false;
    }
    let Some(key) = CompressedEdwardsY(case.key).decompress() else {
        return false;
    };
    let k = challenge(&r, case);
    let s: Scalar = Option::from(Scalar::from_canonical_bytes(s)).unwrap();
    (EdwardsPoint::mul_base(&s) - k * key).compress().to_bytes() == r
}

/// k of RFC 8032, section 5.1.7, step 2.
fn challenge(r: &[u8; 32], case: &Case) -> Scalar {
    let hash = Sha512::new()
        .chain_update(r)
        .chain_update(case.key)
        .chain_update(&case.message);
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
}

/// ZIP 215: s is canonical, and any encodings of points A and R for which 8·s·B = 8·R + 8·k·A.
pub(crate) fn zip215(case: &Case) -> bool {
    let (r, s) = case.signature.split_at(32);
    let (r, s): ([u8; 32], [u8; 32]) = (r.try_into().unwrap(), s.try_into().unwrap());
    let key = CompressedEdwardsY(case.key).decompress();
    let (Some(key), Some(point)) = (key, CompressedEdwardsY(r).decompress()) else {
        return false;
    };
    if !is_below_l(&s) {
        return false;
    }
    let k = challenge(&r, case);
    let s: Scalar = Option::from(Scalar::from_canonical_bytes(s)).unwrap();
    let left = EdwardsPoint::mul_base(&s).mul_by_cofactor();
    left == point.mul_by_cofactor() + (k * key).mul_by_cofactor()
}

/// The seven steps of SIMD-0376: those of ZIP 215, but A and R are canonical and not of small order.
pub(crate) fn simd0376(case: &Case) -> bool {
    let allowed = |encoding: &[u8]| {
        let point = CompressedEdwardsY::from_slice(encoding)
            .unwrap()
            .decompress();
        point.is_some_and(|point| {
            point.compress().as_bytes() == encoding && point.mul_by_cofactor() != EIGHT_TORSION[0]
        })
    };
    allowed(&case.key) && allowed(&case.signature[..32]) && zip215(case)
}

/// `ge25519_is_canonical`: y is below p. The sign does not count.
pub(crate) fn y_is_canonical(encoding: &[u8; 32]) -> bool {
    let mut p = [0xff; 32];
    (p[0], p[31]) = (0xed, 0x7f);
    is_below(&without_sign(encoding), &p)
}

/// `sc25519_is_canonical`.
fn is_below_l(s: &[u8; 32]) -> bool {
    // L = 2^252 + 27742317777372353535851937790883648493
    let mut l = [0; 32];
    l[..16].copy_from_slice(&27742317777372353535851937790883648493u128.to_le_bytes());
    l[31] = 0x10;
    is_below(s, &l)
}

fn is_below(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// `ge25519_has_small_order`: a list of encodings. The sign does not count.
fn has_small_order(encoding: &[u8; 32]) -> bool {
    SMALL_ORDER.contains(&hex::encode(without_sign(encoding)).as_str())
}

fn without_sign(encoding: &[u8; 32]) -> [u8; 32] {
    let mut y = *encoding;
    y[31] &= 0x7f;
    y
}

/// y of the points of order 4, 1, 8, 8 and 2, and 0 and 1 again as p and p + 1.
pub(crate) const SMALL_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];
