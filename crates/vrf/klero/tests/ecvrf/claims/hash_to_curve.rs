//! Tests of H: honest claims that cover every case of the map, and proofs for points other than H.

use klero_reference::curve::{Point, decode};
use klero_reference::field::{Field, int, int_le};
use klero_reference::{BigUint, ELL2_DST, Map, Suite, expand, map_to_curve};
use sha2::{Digest, Sha512};

use super::maker::{EQUATIONS, Maker, numbers};
use crate::support::case::owner;

pub fn make(maker: &mut Maker) {
    alphas(maker);
    points(maker);
    wrong_points(maker);
}

fn alphas(maker: &mut Maker) {
    maker.push_honest(0, &["Honest"], "alpha of five bytes", b"alpha");
    maker.push_honest(1, &["Honest", "AlphaLength"], "alpha empty", b"");
    // The padding of SHA-512 fits into a block only beside at most 111 bytes of the message. The string that
    // is hashed to the curve has 36, 34 or 204 bytes in addition to alpha.
    let fits = match maker.suite.map {
        Map::Tai => 111 - 36,
        Map::Draft03 => 111 - 34,
        Map::Ell2 => 128 + 111 - 204,
    };
    for len in [fits, fits + 1, 300] {
        let alpha: Vec<u8> = (0..len).map(|i| i as u8).collect();
        let comment = format!("alpha of {len} bytes");
        maker.push_honest(3, &["Honest", "AlphaLength"], &comment, &alpha);
    }
}

fn points(maker: &mut Maker) {
    match maker.suite.map {
        Map::Tai => {
            let counters =
                |alpha: &[u8]| points_by_counter(maker.suite, 0, alpha).next().unwrap().0;
            let alphas = [1, 2, 3, 10].map(|counter| {
                let alpha = numbers().find(|alpha| counters(alpha) == counter);
                (counter, alpha.unwrap())
            });
            for (counter, alpha) in alphas {
                let comment = format!("the first point is that of counter {counter}");
                maker.push_honest(0, &["Honest", "Counter"], &comment, &alpha);
            }
        }
        Map::Draft03 | Map::Ell2 => {
            let mut seen = Vec::new();
            for alpha in numbers().take(64) {
                let branch = elligator2_branch(maker.suite, 0, &alpha);
                if !seen.contains(&branch) {
                    seen.push(branch.clone());
                    maker.push_honest(0, &["Honest", "Elligator2Branch"], &branch, &alpha);
                }
            }
        }
    }
}

fn wrong_points(maker: &mut Maker) {
    let alpha = b"alpha";
    let forger = maker.forger(alpha);
    let uncleared = map_to_curve(maker.suite, &forger.key, alpha).unwrap();
    let mut points = vec![
        ("-H", forger.h.neg()),
        ("H without the cofactor", uncleared),
    ];
    if maker.suite.map == Map::Tai {
        let (_, second) = points_by_counter(maker.suite, 1, alpha).nth(1).unwrap();
        points.push(("the second point that is found", second.mul(&int(8))));
    }
    for (what, h) in points {
        let mut forger = forger.clone();
        forger.gamma = h.mul(&forger.x);
        forger.v = h.mul(&forger.k);
        forger.h = h;
        let comment = format!("a proof for {what}");
        maker.push(EQUATIONS, &["WrongPoint"], &comment, forger.case(""));
    }
}

/// Returns the points that try-and-increment finds, before multiplication by 8, each with its counter.
fn points_by_counter(suite: &Suite, who: usize, alpha: &[u8]) -> impl Iterator<Item = (u8, Point)> {
    let key = expand(&owner(who)).public;
    let start = [&[suite.octet, 1], &key[..], alpha].concat();
    (0..=255).filter_map(move |counter| {
        let hash = suite.hash_32(&[&start, &[counter, 0]]);
        decode(&hash).ok().map(|point| (counter, point))
    })
}

/// Names the candidate that Elligator2 chooses and, in draft-03, the value of the hash bit that is cleared.
fn elligator2_branch(suite: &Suite, who: usize, alpha: &[u8]) -> String {
    let salted = [&expand(&owner(who)).public, alpha].concat();
    let (r, bit) = if suite.map == Map::Draft03 {
        let mut hash = suite.hash_32(&[&[suite.octet, 1], &salted]);
        let bit = format!(", bit 255 of the hash is {}", hash[31] >> 7);
        hash[31] &= 0x7f;
        (int_le(&hash), bit)
    } else {
        // expand_message_xmd of RFC 9380, section 5.3.1, for 48 bytes.
        let tag = [ELL2_DST, &[suite.octet, 40]].concat();
        let first = Sha512::digest([&[0; 128], &salted[..], &[0, 48, 0], &tag].concat());
        let uniform = Sha512::digest([&first[..], &[1], &tag].concat());
        (BigUint::from_bytes_be(&uniform[..48]), String::new())
    };
    // w = u(u² + Au + 1) for the first candidate u = -A/(1 + 2r²).
    let (r, one, a) = (Field::new(r), Field::small(1), Field::small(486662));
    let u = &-&a * &(&one + &(&Field::small(2) * &(&r * &r))).invert();
    let w = &u * &(&(&u * &(&u + &a)) + &one);
    let candidate = if w.sqrt().is_some() {
        "first"
    } else {
        "second"
    };
    format!("{candidate} candidate{bit}")
}
