//! Tests of Γ: unusual encodings, and Γ for which only one equation or only a weighted sum of both holds.

use klero_reference::BigUint;
use klero_reference::curve::{B, L};
use klero_reference::field::{P, int, int_le};

use super::maker::{EQUATIONS, GAMMA, Maker, y_above_p};
use crate::support::forger::{Forger, OWNERS, TORSION, encoding, nonce};

pub fn make(maker: &mut Maker) {
    let forger = maker.forger(b"gamma");
    let mut push = |stated, flag, y: &BigUint, sign, comment: &str| {
        let mut forger = forger.clone();
        forger.gamma_bytes = Some(encoding(y, sign));
        maker.push(stated, &[flag], comment, forger.case(""));
    };
    let order_8 = int_le(&TORSION[1].encode()) % (int(1) << 255);
    let minus_one = &*P - int(1);
    push(EQUATIONS, "SmallOrderGamma", &int(1), false, "identity");
    push(EQUATIONS, "SmallOrderGamma", &minus_one, false, "order 2");
    push(EQUATIONS, "SmallOrderGamma", &int(0), false, "order 4");
    push(EQUATIONS, "SmallOrderGamma", &order_8, false, "order 8");
    let flag = "NonCanonicalGamma";
    push(EQUATIONS, flag, &int(1), true, "identity with the sign bit");
    push(
        EQUATIONS,
        flag,
        &minus_one,
        true,
        "order 2 with the sign bit",
    );
    push(GAMMA, flag, &P, false, "y = p");
    push(GAMMA, flag, &(&*P + int(1)), false, "y = p+1");
    let (above, comment) = y_above_p();
    push(GAMMA, flag, &above, false, &comment);
    push(GAMMA, "GammaNotOnCurve", &int(2), false, "y = 2");

    // The first proof has a Γ other than xH. In the second proof, Γ is the identity and s = k.
    let flag = &["OneEquation"];
    let mut first = forger.clone();
    first.gamma = first.gamma.add(&B);
    maker.push(EQUATIONS, flag, "U holds, V does not", first.case(""));
    let key = forger.key;
    let second = Forger::with_key(maker.suite, int(0), key, b"gamma", nonce());
    maker.push(EQUATIONS, flag, "V holds, U does not", second.case(""));

    // Γ = (z(aB + bH) - aY)/b and s = k + cz are chosen so that aU + bV = s(aB + bH) - c(aY + bΓ).
    let y = &OWNERS[1].1;
    let minus_one = &*L - int(1);
    for (a, b, comment) in [
        (int(1), int(1), "U + V holds"),
        (int(1), minus_one, "U - V holds"),
        (int(3), int(5), "3U + 5V holds"),
    ] {
        let z: BigUint = int(0xf00d) << 200;
        let mut forger = Forger::with_key(maker.suite, z.clone(), key, b"sum", nonce());
        let sum = B.mul(&a).add(&forger.h.mul(&b)).mul(&z);
        let sum = sum.add(&y.mul(&a).neg());
        forger.gamma = sum.mul(&b.modinv(&L).unwrap());
        maker.push(EQUATIONS, flag, comment, forger.case(""));
    }
}
