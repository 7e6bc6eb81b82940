//! Checks the equations of signatures. Many signatures are checked side by side in lanes. A few are checked
//! in pairs, and the coordinates of each pair share vectors. If neither way would save time for the remaining
//! signatures, curve25519-dalek checks them.
//!
//! # Half the doublings
//! If signatures are checked side by side, R is decoded, and v·(s·B - k·A - R) is compared with the identity.
//! The integer v has about 128 bits. It is chosen so that u = v·k modulo 8·L is as short as v. Computing the
//! product as v·s·B - u·A - v·R takes half the doublings of k·A. The additional work, a square root to decode
//! R and a table of multiples of R, costs less than the doublings saved.
//!
//! # Why the verdict is exact
//! Let D = s·B - k·A - R, where k is the SHA-512 digest reduced to an integer below L. All points of the
//! curve form a group of order 8·L, and u and v·k differ by a multiple of 8·L. So u·A = (v·k)·A for every
//! A, whatever its order. B has order L, so v·s may be reduced modulo L. Hence the computed point is
//! exactly v·D.
//!
//! v is odd and not a multiple of L (0 < v < 2^160), so it is coprime to 8·L. Multiplication by v therefore
//! permutes the group: v·D is the identity if and only if D is, whatever components of small order A and R
//! have. This matters because the rule in `verify.rs` does not multiply by the cofactor.
//!
//! The rule compares the bytes of R with the encoding of s·B - k·A. They match if and only if R is the
//! canonical encoding of a point that makes D the identity.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Halves, Point, is_second_encoding, y_is_canonical};

use crate::product::product;
use crate::signed::Signed;

/// Checks whether R of each signature encodes s·B - k·A. The result is `None` if the key is not on the curve.
pub(crate) fn check(engine: Engine, signed: &[Signed<'_>]) -> Vec<Option<bool>> {
    let k = challenges(engine, signed);
    let (shared, paired) = engine.whole_and_pairs(signed.len());
    let (many, few) = (..shared, shared..shared + paired);
    let mut checked = in_lanes(engine, &signed[many], &k[many]);
    checked.extend(in_pairs(engine, &signed[few.clone()], &k[few]));
    let left_over = signed.iter().zip(&k).skip(shared + paired);
    checked.extend(left_over.map(|(signed, k)| by_dalek(signed, k)));
    checked
}

/// The scalar k of each signature (RFC 8032, section 5.1.7, step 2).
fn challenges(engine: Engine, signed: &[Signed<'_>]) -> Vec<Scalar> {
    let parts: Vec<[&[u8]; 3]> = signed
        .iter()
        .map(|signed| [&signed.r[..], signed.key, signed.message])
        .collect();
    let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
    let mut digests = vec![[0; 64]; signed.len()];
    engine.sha512(&[], &messages, &mut digests);
    digests
        .iter()
        .map(Scalar::from_bytes_mod_order_wide)
        .collect()
}

/// The decoded points of signatures.
struct Decoded {
    /// The distinct keys. If `with_r` was true, R of each signature follows.
    points: Vec<Point>,
    on_curve: Vec<bool>,
    /// The index of each signature's key among the distinct keys.
    key_of: Vec<usize>,
    keys: usize,
}

impl Decoded {
    fn new(engine: Engine, signed: &[Signed<'_>], with_r: bool) -> Self {
        let (mut encodings, key_of) = distinct_keys(signed);
        let keys = encodings.len();
        if with_r {
            encodings.extend(signed.iter().map(|signed| *signed.r));
        }
        let mut points = vec![Point::IDENTITY; encodings.len()];
        let mut on_curve = vec![false; encodings.len()];
        engine.decode(&encodings, &mut points, &mut on_curve);
        Self {
            points,
            on_curve,
            key_of,
            keys,
        }
    }

    /// The key of each signature.
    fn keys(&self) -> Vec<Point> {
        self.key_of.iter().map(|&key| self.points[key]).collect()
    }

    /// R of each signature.
    fn r(&self) -> &[Point] {
        &self.points[self.keys..]
    }

    fn key_on_curve(&self, index: usize) -> bool {
        self.on_curve[self.key_of[index]]
    }

    fn r_on_curve(&self, index: usize) -> bool {
        self.on_curve[self.keys + index]
    }
}

/// Returns the distinct keys, and the index of each signature's key among them.
fn distinct_keys(signed: &[Signed<'_>]) -> (Vec<[u8; 32]>, Vec<usize>) {
    let (mut keys, mut places) = (Vec::new(), Vec::with_capacity(signed.len()));
    let mut known = BTreeMap::new();
    for signed in signed {
        let place = *known.entry(signed.key).or_insert(keys.len());
        if place == keys.len() {
            keys.push(*signed.key);
        }
        places.push(place);
    }
    (keys, places)
}

/// Checks one signature in each lane.
fn in_lanes(engine: Engine, signed: &[Signed<'_>], k: &[Scalar]) -> Vec<Option<bool>> {
    let decoded = Decoded::new(engine, signed, true);
    let k: Vec<[u8; 32]> = k.iter().map(Scalar::to_bytes).collect();
    let mut halves = vec![Halves::ZERO; signed.len()];
    engine.halve(&k, &mut halves);
    let both = signed.iter().zip(&halves);
    let w: Vec<[u8; 32]> = both
        .map(|(signed, halves)| product(&halves.v(), signed.s.as_bytes()))
        .collect();
    let mut vanishes = vec![false; signed.len()];
    let (keys, r) = (decoded.keys(), decoded.r());
    engine.vanishes(&w, &halves, &keys, r, &mut vanishes);

    let checked = |i: usize| {
        let holds = vanishes[i] && decoded.r_on_curve(i) && is_canonical(signed[i].r);
        decoded.key_on_curve(i).then_some(holds)
    };
    (0..signed.len()).map(checked).collect()
}

/// True if the bytes are the canonical encoding of the point that they decode to.
fn is_canonical(encoding: &[u8; 32]) -> bool {
    y_is_canonical(encoding) && !is_second_encoding(encoding)
}

/// Checks two signatures at a time. The coordinates of their points share vectors.
fn in_pairs(engine: Engine, signed: &[Signed<'_>], k: &[Scalar]) -> Vec<Option<bool>> {
    let decoded = Decoded::new(engine, signed, false);
    let s: Vec<[u8; 32]> = signed.iter().map(|signed| signed.s.to_bytes()).collect();
    let k: Vec<[u8; 32]> = k.iter().map(Scalar::to_bytes).collect();
    let mut expected = vec![Point::IDENTITY; signed.len()];
    engine.mul_base_sub_alone(&s, &k, &decoded.keys(), &mut expected);
    let mut encodings = vec![[0; 32]; signed.len()];
    engine.encode(&expected, &mut encodings);

    let checked = |i: usize| {
        let holds = encodings[i] == *signed[i].r;
        decoded.key_on_curve(i).then_some(holds)
    };
    (0..signed.len()).map(checked).collect()
}

fn by_dalek(signed: &Signed<'_>, k: &Scalar) -> Option<bool> {
    let key = CompressedEdwardsY(*signed.key).decompress()?;
    let expected = EdwardsPoint::vartime_double_scalar_mul_basepoint(k, &-key, &signed.s);
    Some(expected.compress().as_bytes() == signed.r)
}
