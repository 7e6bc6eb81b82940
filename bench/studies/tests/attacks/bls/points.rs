//! Keys and signatures that are no points of the group.

use blst::min_pk::{AggregatePublicKey, AggregateSignature, PublicKey, Signature};

use super::*;
use crate::subgroup::{R, torsion};

fn multiple_of_order<P: Clone>(point: &P, sum: fn(&mut P, &P)) -> P {
    let mut product = None::<P>;
    for bit in (0..256).map(|bit| R[bit / 8] >> (7 - bit % 8) & 1) {
        if let Some(product) = &mut product {
            let copy = product.clone();
            sum(product, &copy);
        }
        if bit == 1 {
            match &mut product {
                Some(product) => sum(product, point),
                None => product = Some(point.clone()),
            }
        }
    }
    product.unwrap()
}

/// T, and P + T, as a block's key and as a seal's.
#[test]
fn keys_outside_the_group() {
    let token = honest(&["read", "less"]);
    let torsion = torsion();
    let other = PublicKey::uncompress(&token.blocks[1].key).unwrap();
    let mut sum = AggregatePublicKey::from_public_key(&other);
    sum.add_public_key(&torsion, false).unwrap();
    for key in [torsion, sum.to_public_key()] {
        let mut token = token.clone();
        token.blocks[1].key = key.compress();
        refused(&token, None, "key");
        token.blocks.pop();
        token.seal = Some(key.compress());
        refused(&token, Some(CHALLENGE), "key");
    }
}

/// S + T satisfies the equation where the subgroup is not checked.
#[test]
fn signatures_outside_the_group() {
    let point = (1..=u8::MAX).find_map(|x| {
        let mut bytes = [0; 96];
        (bytes[0], bytes[95]) = (0x80, x);
        Signature::uncompress(&bytes).ok()
    });
    let point = AggregateSignature::from_signature(&point.unwrap());
    let torsion = multiple_of_order(&point, |sum, point| sum.add_aggregate(point));
    let mut token = honest(&["read", "less"]);
    let mut sum = torsion;
    sum.add_aggregate(&AggregateSignature::from_signature(
        &Signature::uncompress(&token.sum).unwrap(),
    ));
    let sum = sum.to_signature().compress();
    assert_ne!(sum, token.sum);
    for sum in [sum, torsion.to_signature().compress()] {
        token.sum = sum;
        refused(&token, None, "point");
    }
}

/// What is no encoding of a point of the group: no compression bit, x beyond p, infinity with
/// more in it, not on the curve.
#[test]
fn encodings() {
    let at = |fill: u8, bytes: &[(usize, u8)]| {
        let mut key = [fill; 48];
        for (at, byte) in bytes {
            key[*at] = *byte;
        }
        key
    };
    let mut uncompressed = public_key(&[3; 32]);
    uncompressed[0] &= 0x7f;
    let off_curve = (1..).find_map(|x| {
        let bytes = at(0, &[(0, 0x80), (47, x)]);
        PublicKey::uncompress(&bytes).is_err().then_some(bytes)
    });
    for key in [
        uncompressed,
        off_curve.unwrap(),
        at(0xff, &[]),
        at(0, &[]),
        at(0, &[(0, 0xc0), (47, 1)]),
        at(0, &[(0, 0xe0)]),
    ] {
        let mut token = honest(&["read", "less"]);
        token.blocks[1].key = key;
        refused(&token, None, "key");
    }
    let mut uncompressed = honest(&["read"]).sum;
    uncompressed[0] &= 0x7f;
    let (mut more, mut sign) = (infinity::<96>(), infinity::<96>());
    (more[95], sign[0]) = (1, 0xe0);
    for sum in [uncompressed, infinity(), more, sign, [0; 96], [0xff; 96]] {
        let mut token = honest(&["read", "less"]);
        token.sum = sum;
        refused(&token, None, "point");
        token.seal = Some(public_key(&MY_SEED));
        refused(&token, Some(CHALLENGE), "point");
    }
}
