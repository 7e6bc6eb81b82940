//! Tests of U = kB and V = kH: unusual encodings, unusual nonces k, and unusual challenges c, which are
//! hashed from U and V.

use klero_reference::curve::{B, L, Point};
use klero_reference::field::{P, int};
use klero_reference::{self as reference, Form, Rules};

use super::maker::{EQUATIONS, Maker, Valid, numbers};
use super::torsion;
use crate::support::forger::{Forger, encoding};

pub fn make(maker: &mut Maker) {
    nonces(maker);
    challenges(maker);
    if maker.suite.form == Form::Bytes128 {
        identities(maker);
        order_2(maker);
        other_points(maker);
    }
}

fn nonces(maker: &mut Maker) {
    for (k, comment) in [
        (int(0), "k = 0"),
        (int(1), "k = 1"),
        (&*L - int(1), "k = L-1"),
    ] {
        let forger = Forger::new(maker.suite, 2, 0, b"nonce", k);
        maker.push(Valid, &["SpecialNonce"], comment, forger.case(""));
    }
}

fn challenges(maker: &mut Maker) {
    for (byte, comment) in [(0, "first byte of c is 0"), (15, "last byte of c is 0")] {
        let mut forger = maker.forger(b"challenge");
        let (h, gamma) = (forger.h.encode(), forger.gamma.encode());
        let challenge = |u: &Point, v: &Point| {
            let points = [h, gamma, u.encode(), v.encode()];
            reference::challenge(maker.suite, &forger.key, points)
        };
        while challenge(&forger.u, &forger.v)[byte] != 0 {
            forger.k += 1u32;
            forger.u = forger.u.add(&B);
            forger.v = forger.v.add(&forger.h);
        }
        maker.push(Valid, &["SpecialChallenge"], comment, forger.case(""));
    }
}

/// The flag for proofs of 128 bytes in which U or V is not the encoding of the point that the equation gives.
const FLAG: &[&str] = &["CommitmentEncoding"];

/// Proofs with k = 0, so that U and V are the identity. The encoding of U, V or both is not canonical.
fn identities(maker: &mut Maker) {
    let zero = Forger::new(maker.suite, 2, 0, b"nonce", int(0));
    let sign = encoding(&int(1), true);
    let above = encoding(&(&*P + int(1)), false);
    for (bytes, what) in [(sign, "with the sign bit"), (above, "as y = p+1")] {
        for (u, v) in [(true, false), (false, true), (true, true)] {
            let mut forger = zero.clone();
            forger.u_bytes = u.then_some(bytes);
            forger.v_bytes = v.then_some(bytes);
            let points = match (u, v) {
                (true, true) => "U and V",
                (true, false) => "U",
                _ => "V",
            };
            let comment = format!("identity as {points}, {what}");
            maker.push(EQUATIONS, FLAG, &comment, forger.case(""));
        }
    }
}

/// Proofs with the point of order 2 added to Y and U. Without it, U would be the identity, because k = 0. The
/// two additions cancel in the equation of U if the multiplier of Y is odd. It is (L-c) mod L under the rules
/// of Cardano, and c under the other rules.
fn order_2(maker: &mut Maker) {
    let c = match maker.suite.rules {
        Rules::Cardano => 2,
        Rules::Rfc | Rules::Original => 3,
    };
    let suite = maker.suite;
    let u_of_order_2 = |sent: [u8; 32]| {
        let mut forgers = numbers().map(|alpha| Forger {
            u_bytes: Some(sent),
            ..Forger::new(suite, 2, 4, &alpha, int(0))
        });
        let fits = |forger: &Forger<'_>| {
            let [h, gamma, v] = [&forger.h, &forger.gamma, &forger.v].map(Point::encode);
            reference::challenge(suite, &forger.key, [h, gamma, sent, v])[0] % 8 == c
        };
        let forger = forgers.find(fits).unwrap();
        forger.case("")
    };
    let minus_one = &*P - int(1);
    let mut flags = torsion::flags([4, 0, 4, 0], c);
    flags.push("SpecialNonce");
    let case = u_of_order_2(encoding(&minus_one, false));
    maker.push(Valid, &flags, "U of order 2", case);
    let case = u_of_order_2(encoding(&minus_one, true));
    maker.push(EQUATIONS, FLAG, "U of order 2 with the sign bit", case);
}

/// Proofs in which U, V or both are other points, or in which U or V is no point.
fn other_points(maker: &mut Maker) {
    let forger = maker.forger(b"commitment");
    let mut push = |comment: &str, change: &dyn Fn(&mut Forger)| {
        let mut forger = forger.clone();
        change(&mut forger);
        maker.push(EQUATIONS, FLAG, comment, forger.case(""));
    };
    push("U negated", &|forger| forger.u = forger.u.neg());
    push("V negated", &|forger| forger.v = forger.v.neg());
    push("U and V negated", &|forger| {
        forger.u = forger.u.neg();
        forger.v = forger.v.neg();
    });
    push("U and V exchanged", &|forger| {
        std::mem::swap(&mut forger.u, &mut forger.v);
    });
    push("U + B, V - B", &|forger| {
        forger.u = forger.u.add(&B);
        forger.v = forger.v.add(&B.neg());
    });
    let off_curve = encoding(&int(2), false);
    push("U is no point", &|forger| forger.u_bytes = Some(off_curve));
    push("V is no point", &|forger| forger.v_bytes = Some(off_curve));
    push("U = 2^255-1", &|forger| {
        forger.u_bytes = Some(
            [[0xff; 31].as_slice(), &[0x7f]]
                .concat()
                .try_into()
                .unwrap(),
        )
    });
}
