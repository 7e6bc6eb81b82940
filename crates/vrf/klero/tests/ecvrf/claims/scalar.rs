//! Tests of the scalar s: values at the edges of its range, and multiples of L added to s.

use klero_reference::curve::L;
use klero_reference::field::{bytes_le, int, int_le};
use klero_reference::{BigUint, Rules};

use super::maker::{EQUATIONS, Maker, SCALAR, Valid, multiple};

pub fn make(maker: &mut Maker) {
    let at = maker.suite.proof_len() - 32;
    let s = int_le(&maker.honest(1, b"alpha").proof[at..]);
    let reduced = maker.suite.rules == Rules::Original;
    let mut set = |stated, flag, s: BigUint, comment: &str| {
        maker.change(stated, flag, comment, |case| {
            case.proof[at..].copy_from_slice(&bytes_le(&s));
        });
    };
    for k in [1, 14] {
        let stated = if reduced { Valid } else { SCALAR };
        set(
            stated,
            "ScalarPlusL",
            &s + &*L * int(k as u128),
            &format!("s + {}", multiple(k, "L")),
        );
    }
    let flag = "ScalarRange";
    set(EQUATIONS, flag, int(0), "s = 0");
    set(EQUATIONS, flag, &*L - int(1), "s = L-1");
    let beyond = if reduced { EQUATIONS } else { SCALAR };
    set(beyond, flag, L.clone(), "s = L");
    for bit in [253u32, 255] {
        set(beyond, flag, &s + (int(1) << bit), &format!("s + 2^{bit}"));
    }
    set(beyond, flag, (int(1) << 256) - int(1), "s = 2^256-1");
}
