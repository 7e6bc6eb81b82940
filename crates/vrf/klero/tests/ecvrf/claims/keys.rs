//! Tests of keys: keys of small order, keys that are not canonical or not points, and unusual keys.

use klero_reference::curve::{B, L};
use klero_reference::field::{P, int, int_le};
use klero_reference::{Rules, Suite};

use super::maker::{KEY, Maker, Valid, WithoutKeyCheck, y_above_p};
use crate::support::forger::{Forger, OWNERS, TORSION, encoding, nonce, small_order_encodings};

pub fn make(maker: &mut Maker) {
    // With x = 0, Γ and its multiple are the identity, and s = k. If c mod 8 is `residue`, the multiple of Y
    // is the identity, too. So both equations hold.
    let residue = match maker.suite.rules {
        Rules::Cardano => 5,
        Rules::Rfc | Rules::Original => 0,
    };
    for key in small_order_encodings() {
        let mut forger = Forger::with_key(maker.suite, int(0), key, b"anyone", nonce());
        forger.c_mod_8 = Some(residue);
        let canonical = TORSION.iter().any(|point| point.encode() == key);
        let flags = if canonical {
            &["SmallOrderKey"][..]
        } else {
            &["SmallOrderKey", "NonCanonicalKey"]
        };
        let stated = if canonical && key_check_is_optional(maker.suite) {
            WithoutKeyCheck
        } else {
            KEY
        };
        maker.push(stated, flags, &small_order_name(&key), forger.case(""));
    }
    let (above, comment) = y_above_p();
    let top = (int(1) << 255) - int(1);
    for (flag, y, sign, comment) in [
        ("NonCanonicalKey", above, false, &comment[..]),
        ("NonCanonicalKey", top, true, "y = 2^255-1, sign bit"),
        ("KeyNotOnCurve", int(2), false, "y = 2"),
    ] {
        let (x, key) = (OWNERS[1].0.clone(), encoding(&y, sign));
        let forger = Forger::with_key(maker.suite, x, key, b"alpha", nonce());
        maker.push(KEY, &[flag], comment, forger.case(""));
    }
    for (x, comment) in [(int(1), "Y = B"), (&*L - int(1), "Y = -B")] {
        let key = B.mul(&x).encode();
        let forger = Forger::with_key(maker.suite, x, key, b"alpha", nonce());
        maker.push(Valid, &["UnusualKey"], comment, forger.case(""));
    }
}

/// True if the document that defines the suite leaves key validation to the caller. Cardano's and Algorand's
/// libsodium always validate keys.
fn key_check_is_optional(suite: &Suite) -> bool {
    suite.name.starts_with("rfc9381")
}

/// Names this encoding of a point of small order.
fn small_order_name(bytes: &[u8; 32]) -> String {
    let y = int_le(bytes) % (int(1) << 255);
    let names = [
        (int(0), "y = 0, order 4"),
        (int(1), "y = 1, identity"),
        (&*P - int(1), "y = -1, order 2"),
        (P.clone(), "y = p, order 4"),
        (&*P + int(1), "y = p+1, identity"),
    ];
    let name = names.iter().find(|(named, _)| *named == y);
    let name = name.map_or("order 8", |(_, name)| name);
    let sign = if bytes[31] >> 7 == 1 {
        ", sign bit"
    } else {
        ""
    };
    format!("{name}{sign}")
}
