//! R from the rest of a signature: s·B - k·A, side by side in lanes, or on curve25519-dalek where
//! that takes less time.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point};

use crate::signed::Signed;

/// What the curve says about a signature. If the key is not on the curve, the rest has no meaning.
#[derive(Clone, Copy, Default)]
pub(crate) struct Recomputed {
    pub(crate) key_on_curve: bool,
    /// The canonical encoding of s·B - k·A.
    pub(crate) r: [u8; 32],
}

pub(crate) fn recompute(engine: Engine, signed: &[Signed<'_>]) -> Vec<Recomputed> {
    let k = challenges(engine, signed);
    let (shared, in_pairs) = engine.whole_and_pairs(signed.len());
    let split = shared + in_pairs;
    let mut recomputed = in_lanes(engine, &signed[..split], &k[..split], shared);
    let left_over = signed.iter().zip(&k).skip(split);
    recomputed.extend(left_over.map(|(signed, k)| by_dalek(signed, k)));
    recomputed
}

/// k of RFC 8032, section 5.1.7, step 2.
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

/// The first `shared` signatures share vectors, the others go two at a time.
fn in_lanes(engine: Engine, signed: &[Signed<'_>], k: &[Scalar], shared: usize) -> Vec<Recomputed> {
    let n = signed.len();
    let (keys, places) = distinct_keys(signed);
    let mut decoded = vec![Point::IDENTITY; keys.len()];
    let mut on_curve = vec![false; keys.len()];
    engine.decode(&keys, &mut decoded, &mut on_curve);

    let points: Vec<Point> = places.iter().map(|&place| decoded[place]).collect();
    let s: Vec<[u8; 32]> = signed.iter().map(|signed| signed.s.to_bytes()).collect();
    let k: Vec<[u8; 32]> = k.iter().map(Scalar::to_bytes).collect();
    let mut r = vec![Point::IDENTITY; n];
    let (many, few) = (..shared, shared..);
    engine.mul_base_sub_long(&s[many], &k[many], &points[many], &mut r[many]);
    let in_pairs = &mut r[few.clone()];
    engine.mul_base_sub_alone(&s[few.clone()], &k[few.clone()], &points[few], in_pairs);
    let mut encodings = vec![[0; 32]; n];
    engine.encode(&r, &mut encodings);

    let recomputed = |i: usize| Recomputed {
        key_on_curve: on_curve[places[i]],
        r: encodings[i],
    };
    (0..n).map(recomputed).collect()
}

/// The distinct keys, and the place of each signature's key among them.
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

fn by_dalek(signed: &Signed<'_>, k: &Scalar) -> Recomputed {
    let Some(key) = CompressedEdwardsY(*signed.key).decompress() else {
        return Recomputed::default();
    };
    let r = EdwardsPoint::vartime_double_scalar_mul_basepoint(k, &-key, &signed.s);
    Recomputed {
        key_on_curve: true,
        r: r.compress().to_bytes(),
    }
}
