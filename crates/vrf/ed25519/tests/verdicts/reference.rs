//! libsodium's rules, step by step, as in `crypto_sign/ed25519/ref10/open.c` of version 1.0.18 without
//! `ED25519_COMPAT`.

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use sha2::{Digest, Sha512};

use crate::cases::Case;

pub(crate) fn libsodium(case: &Case) -> bool {
    let (r, s) = case.signature.split_at(32);
    let (r, s): ([u8; 32], [u8; 32]) = (r.try_into().unwrap(), s.try_into().unwrap());
    // If the highest four bits are 0, s is below 2^252, and so below L.
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
    let hash = Sha512::new()
        .chain_update(r)
        .chain_update(case.key)
        .chain_update(&case.message);
    let k = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
    let s: Scalar = Option::from(Scalar::from_canonical_bytes(s)).unwrap();
    (EdwardsPoint::mul_base(&s) - k * key).compress().to_bytes() == r
}

/// True if y is below p, as in `ge25519_is_canonical`. The sign is ignored.
pub(crate) fn y_is_canonical(encoding: &[u8; 32]) -> bool {
    let mut p = [0xff; 32];
    (p[0], p[31]) = (0xed, 0x7f);
    is_below(&without_sign(encoding), &p)
}

/// True if s is below L, as in `sc25519_is_canonical`.
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

/// True if y is in the list of points of small order, as in `ge25519_has_small_order`. The sign is ignored.
fn has_small_order(encoding: &[u8; 32]) -> bool {
    SMALL_ORDER.contains(&hex::encode(without_sign(encoding)).as_str())
}

fn without_sign(encoding: &[u8; 32]) -> [u8; 32] {
    let mut y = *encoding;
    y[31] &= 0x7f;
    y
}

/// The y-coordinates of the points of order 4, 1, 8, 8 and 2. The last two entries encode 0 and 1 as p and
/// p + 1.
pub(crate) const SMALL_ORDER: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];
