//! Proofs that a [`Forger`] makes, and groups of claims whose errors cancel.

use klero_reference::curve::{B, L, Point};
use klero_reference::field::{P, bytes_le, int, int_le};
use klero_reference::{BigUint, Suite};

use super::honest;
use crate::support::case::Case;
use crate::support::forger::{Forger, OWNERS, encoding, nonce, small_order_encodings};

/// Proofs with k = 0. U and V are the identity or a point of small order, in each encoding.
pub fn zero_nonce(suite: &Suite) -> Vec<Case> {
    let encodings = small_order_encodings();
    let identities: Vec<_> = [int(1), &*P + int(1)]
        .iter()
        .flat_map(|y| [encoding(y, false), encoding(y, true)])
        .collect();
    let mut cases = Vec::new();
    let mut push = |errors: [usize; 4], alpha: &[u8], u, v| {
        let [y_error, gamma_error, u_error, v_error] = errors;
        let forger = Forger::new(suite, 2, y_error, alpha, int(0));
        let mut forger = forger.with_errors([gamma_error, u_error, v_error]);
        forger.u_bytes = u;
        forger.v_bytes = v;
        cases.push(forger.case(format!(
            "k = 0, {errors:?} times T on Y, Γ, U, V, sent for U and V {u:02x?}, {v:02x?}"
        )));
    };
    for &u in &identities {
        for &v in &identities {
            push([0; 4], b"identity", Some(u), Some(v));
        }
    }
    for &any in &encodings {
        push([0; 4], b"small order", Some(any), None);
        push([0; 4], b"small order", None, Some(any));
    }
    // The point (0, -1) has two encodings, one for each sign bit. Errors of order 2 on Y and U, or on Γ
    // and V, cancel for half of all challenges, so six alphas are tried.
    let minus_one = encoding(&(&*P - int(1)), false);
    let minus_one_sign = encoding(&(&*P - int(1)), true);
    for alpha in 0..6 {
        push([4, 0, 4, 0], &[alpha], None, None);
        push([4, 0, 4, 0], &[alpha], Some(minus_one), None);
        push([4, 0, 4, 0], &[alpha], Some(minus_one_sign), None);
        push([0, 4, 0, 4], &[alpha], None, Some(minus_one_sign));
    }
    cases
}

/// Proofs that are made without knowing x. They satisfy only the sum of the equations for U and V, or another
/// sum with coefficients a and b that are known beforehand: aU + bV = s(aB + bH) - c(aY + bΓ). With any k and
/// z, this holds for Γ = (z(aB + bH) - aY)/b, U = kB, V = kH and s = k + cz.
pub fn known_coefficients(suite: &Suite) -> Vec<Case> {
    let (_, y) = &OWNERS[3];
    let minus_one = &*L - int(1);
    let coefficients = [
        (int(1), int(1)),
        (int(1), minus_one.clone()),
        (minus_one, int(1)),
        (int(3), int(1)),
        (int(1), int(2)),
    ];
    let cases = coefficients.into_iter().map(|(a, b)| {
        let z: BigUint = int(0xf00d) << 200;
        let mut forger = Forger::with_key(suite, z.clone(), y.encode(), b"sum", nonce());
        let ab = B.mul(&a).add(&forger.h.mul(&b));
        let sum = ab.mul(&z).add(&y.mul(&a).neg());
        forger.gamma = sum.mul(&b.modinv(&L).unwrap());
        forger.case(format!("satisfies {a} times U plus {b} times V"))
    });
    cases.collect()
}

/// Claims with keys for which anyone can make proofs: Y is any point of small order, in each encoding. The
/// proofs are made with x = 0. Γ is xH (the identity) or has small order.
pub fn small_order_keys(suite: &Suite) -> Vec<Case> {
    let mut cases = Vec::new();
    for key in small_order_encodings() {
        let anyone = Forger::with_key(suite, int(0), key, b"anyone", nonce());
        // The verifier's multiple of Y is the identity if c = 0 mod 8 under the RFC's rules, or if
        // c = 5 mod 8 under Cardano's.
        for residue in [0, 5] {
            let mut forger = anyone.clone();
            forger.c_mod_8 = Some(residue);
            cases.push(forger.case(format!("key {key:02x?}, c = {residue} mod 8")));
            forger.gamma_bytes = Some(key);
            cases.push(forger.case(format!("key and Γ {key:02x?}, c = {residue} mod 8")));
        }
    }
    cases
}

/// Groups of claims whose errors cancel if a batch adds the claims with equal coefficients.
pub fn groups(suite: &Suite) -> Vec<Vec<Case>> {
    let mut groups = Vec::new();
    let at = suite.proof_len() - 32;

    // The two claims of a pair come from one proof. They have s + d and s - d, where d is 1, L/2 or 2^123.
    let honest = honest(suite, b"cancel");
    let s = int_le(&honest.proof[at..]);
    for difference in [int(1), &*L >> 1u32, int(8) << 120u32] {
        let with_s = |s: BigUint| {
            honest.changed(suite, format!("s = {s}"), |case| {
                case.proof[at..].copy_from_slice(&bytes_le(&(s % &*L)));
            })
        };
        let pair = [with_s(&s + &difference), with_s(&s + &*L - &difference)];
        groups.push(pair.to_vec());
    }

    // The two to eight claims of a group have errors of small order on the same point, and these errors add
    // up to the identity. (Errors of prime order follow below.)
    let place = |error, point| {
        let mut errors = [0; 4];
        errors[point] = error;
        errors
    };
    let forge = |[y, gamma, u, v]: [usize; 4], alpha: &[u8], name: &str| {
        let forger = Forger::new(suite, 1, y, alpha, nonce());
        forger.with_errors([gamma, u, v]).case(name)
    };
    for point in 0..4 {
        for (error, count) in [(4, 2), (2, 4), (1, 8)] {
            let equal = (0..count)
                .map(|index| forge(place(error, point), &[index], "one of several equal errors"));
            groups.push(equal.collect());
        }
        for error in 1..4 {
            let opposite = [error, 8 - error]
                .map(|error| forge(place(error, point), b"", "one of two opposite errors"));
            groups.push(opposite.to_vec());
        }
    }
    let error = B.mul(&(int(1) << 100u32));
    let forger = Forger::new(suite, 2, 0, b"prime order", nonce());
    let shifted = |u_error: &Point, v_error: &Point| {
        let mut forger = forger.clone();
        forger.u = forger.u.add(u_error);
        forger.v = forger.v.add(v_error);
        forger.case("opposite errors of prime order")
    };
    let none = Point::identity();
    groups.push(vec![shifted(&error, &none), shifted(&error.neg(), &none)]);
    groups.push(vec![shifted(&none, &error), shifted(&none, &error.neg())]);
    groups.push(vec![shifted(&error, &error.neg())]);
    groups
}
