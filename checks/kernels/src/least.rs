//! Whether limbs are the least residue: a case split that no equation of polynomials replaces.
//!
//! Limbs of the value v, below 2p, enter. The kernel finds q, the carry out of v + 19, which is 1
//! exactly if v is p or more. It adds 19·q and drops what exceeds 2^255, in h:
//!
//! ```text
//! v + c = 2^255·q + S,              S from 0 to below 2^255     (1)
//! out = v + d·q - 2^255·h,          out from 0 to below 2^255   (2)
//! ```
//!
//! Both c and d should be 19. They are read off the polynomials. (2) is the result itself. (1) is
//! put together from the definitions of q and of the carries before it: each is a quotient by 2^51.
//! For q = 0 and for q = 1, (1) says where v lies; then (2) leaves one h only, and says where the
//! result lies: below p, and v modulo p.

use num_bigint::BigInt;

use crate::integer::{Read, p};
use crate::words::polynomial::{Value, Variable};
use crate::words::symbol::with_facts;

/// Checks that `out`, which is below 2^255, is the least residue of `value`; `entering` are the
/// limbs that are reduced in the end.
pub fn check(out: &Value, value: &Value, entering: &Read) -> Result<(), String> {
    let v = &entering.value;
    if !v.minus(value).modulo(&p()).is_zero() {
        return Err("the value is wrong before the least residue".to_owned());
    }
    // out - v = d·q - 2^255·h
    let two_255 = BigInt::from(1) << 255;
    let difference = out.minus(v);
    let form = "the result is not of the form of a least residue";
    let [q, h] = difference.variables()[..] else {
        return Err(form.to_owned());
    };
    // The one that is made up first is q: h depends on it.
    let d = difference.coefficient(q);
    let expected = Value::of_variable(q, d.clone()).plus(&-&two_255, &Value::variable(h));
    if difference != expected {
        return Err(form.to_owned());
    }
    let (c, rest) = carry_out(q, v).ok_or("no carry out of all limbs")?;
    if c < BigInt::ZERO {
        return Err("q may be negative".to_owned());
    }

    let highest: BigInt = (0..5)
        .map(|i| BigInt::from(entering.ranges[i].high) << (51 * i))
        .sum();
    for q in [0, 1] {
        // v + c is from 2^255·q to 2^255·q + rest.
        let from = BigInt::max(&two_255 * q - &c, BigInt::ZERO);
        let to = BigInt::min(&two_255 * q + &rest - &c, highest.clone());
        if from > to {
            continue;
        }
        let sums = [&from + &d * q, &to + &d * q];
        let [h, same] = sums.each_ref().map(|sum| sum >> 255);
        let right = (&d * q - &two_255 * &h) % p() == BigInt::ZERO;
        if h != same || !right || &sums[1] - &two_255 * &h >= p() {
            return Err(format!("the result is not the least residue where q = {q}"));
        }
    }
    // q has no other value: it is not negative, since v and c are not.
    if highest + &c >= two_255 * 2 {
        return Err("the limbs may be 2p or more".to_owned());
    }
    Ok(())
}

/// (c, r) with v + c - 2^255·q from 0 to r, where v are the limbs from which q was carried.
fn carry_out(q: Variable, v: &Value) -> Option<(BigInt, BigInt)> {
    // 2^255·q = sum - rest, the rest from 0 to `highest`.
    let mut sum = Value::of_variable(q, BigInt::from(1) << 255);
    let mut highest = BigInt::ZERO;
    for _ in 0..5 {
        // The carry that is not a limb.
        let other = sum.minus(v).variables();
        let own = v.variables();
        let &carry = other.iter().rfind(|variable| !own.contains(variable))?;
        let factor = sum.coefficient(carry);
        let (bits, of) = with_facts(|facts| facts.definition(carry).cloned())?;
        // factor·carry = factor/2^bits·(of - r), r from 0 to below 2^bits.
        let part = &factor >> bits;
        if &part << bits != factor || part <= BigInt::ZERO {
            return None;
        }
        sum = sum.plus(&-factor, &Value::variable(carry));
        sum = sum.plus(&part, &of.to_value());
        highest += part * ((BigInt::from(1) << bits) - 1);
    }
    let c = sum.minus(v).as_constant()?;
    Some((c, highest))
}
