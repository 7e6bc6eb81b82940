//! Claims that are meant to divide verifiers, for any suite.
//!
//! Most are made by the owner of the key, who can choose the nonce, add points of small
//! order (errors) to Y, Γ, U and V, and repeat the proof until the challenge has a given
//! residue mod 8. Every function returns [`Case`]s with the model's verdict; many of them are
//! valid. T is a point of order 8.
//!
//! Missing because nobody can make it: a 128-byte proof with c = 0, a preimage of the hash.

use std::collections::BTreeMap;

use klero_reference::curve::{B, L, Point};
use klero_reference::field::{P, bytes_le, int, int_le};
use klero_reference::{BigUint, Form, Rules, SUITES, Suite, expand, hash_to_curve};

use super::case::{Case, owner};
use super::forger::{
    Forger, OWNERS, encoding, non_canonical_encodings, nonce, small_order_encodings,
};
use super::rng::Rng;

/// Attacks that every careful verifier stops, one by one or in a batch.
pub fn plain(suite: &Suite) -> Vec<Case> {
    [
        small_order_keys(suite),
        scalars(suite),
        encodings(suite),
        fills(suite),
        lengths(suite),
        swaps(suite),
        foreign(suite),
        flips(suite),
    ]
    .concat()
}

/// An honest claim with its output, to be changed.
fn honest(suite: &Suite, alpha: &[u8]) -> Case {
    Case::honest_by_model(suite, &owner(1), alpha)
}

/// The fields of a proof: name, begin and end.
fn fields(suite: &Suite) -> Vec<(&'static str, usize, usize)> {
    match suite.form {
        Form::Bytes80 => vec![("Γ", 0, 32), ("c", 32, 48), ("s", 48, 80)],
        Form::Bytes128 => vec![("Γ", 0, 32), ("U", 32, 64), ("V", 64, 96), ("s", 96, 128)],
        Form::Bytes144 => vec![
            ("Γ", 0, 32),
            ("U", 32, 64),
            ("V", 64, 96),
            ("c", 96, 112),
            ("s", 112, 144),
        ],
    }
}

fn points(suite: &Suite) -> impl Iterator<Item = (&'static str, usize, usize)> {
    let fields = fields(suite).into_iter();
    fields.filter(|(name, ..)| ["Γ", "U", "V"].contains(name))
}

// ------------------------------------------------------------------- attacks

/// The multiple of T on U with which the multiple `error` on Y goes unnoticed.
pub fn hidden_by(rules: Rules, c_mod_8: u8, error: usize) -> usize {
    let c = usize::from(c_mod_8);
    let multiplier = match rules {
        Rules::Cardano => 5 + 8 - c, // L = 5 mod 8
        Rules::Rfc | Rules::Original => 8 - c,
    };
    multiplier * error % 8
}

/// The multiples of T on Y, Γ, U and V, and the residue of c mod 8.
type Errors = ([usize; 4], u8);

/// For each residue of c, errors of order 2, 4 and 8: on one point, on points where they
/// cancel by one family of rules or the other, and at random.
fn torsion_errors() -> Vec<Errors> {
    let mut errors = Vec::new();
    for residue in 0..8 {
        for error in [1, 2, 4] {
            let negated = 8 - error;
            for point in 0..4 {
                let mut one = [0; 4];
                one[point] = error;
                errors.push((one, residue));
            }
            for rules in [Rules::Cardano, Rules::Rfc] {
                let hidden = hidden_by(rules, residue, error);
                errors.push(([error, 0, hidden, 0], residue));
                errors.push(([0, error, 0, hidden], residue));
                errors.push(([error, error, hidden, hidden], residue));
            }
            if residue % 2 == 0 {
                errors.push(([0, 0, error, negated], residue));
                errors.push(([0, 0, error, error], residue));
                errors.push(([error, negated, 0, 0], residue));
            } else {
                errors.push(([error, error, error, error], residue));
            }
        }
    }
    let mut rng = Rng(8);
    let random = (0..24).map(|_| (std::array::from_fn(|_| rng.below(8)), rng.below(8) as u8));
    errors.extend(random);
    errors
}

fn torsion_cases(suite: &Suite, errors: Vec<Errors>) -> Vec<Case> {
    // Three owners, so that keys repeat.
    let mut forgers = BTreeMap::new();
    let cases = errors.into_iter().map(|(errors, residue)| {
        let [y, gamma, u, v] = errors;
        let forger = forgers
            .entry(y)
            .or_insert_with(|| Forger::new(suite, y % 3, y, b"torsion", nonce()));
        let mut forger = forger.with_errors([gamma, u, v]);
        forger.c_mod_8 = Some(residue);
        forger.case(format!(
            "{errors:?} times T on Y, Γ, U, V, c = {residue} mod 8"
        ))
    });
    cases.collect()
}

/// Errors of small order on every point, with every residue of the challenge.
pub fn torsion(suite: &Suite) -> Vec<Case> {
    torsion_cases(suite, torsion_errors())
}

/// `count` of these, chosen at random.
pub fn some_torsion(suite: &Suite, rng: &mut Rng, count: usize) -> Vec<Case> {
    let mut errors = torsion_errors();
    rng.shuffle(&mut errors);
    errors.truncate(count);
    torsion_cases(suite, errors)
}

/// Proofs with k = 0: U and V are the identity or a point of small order, in each encoding.
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
    // (0, -1) has two encodings as well. An error of order 2 on Y and U is valid for every
    // other challenge, so there are six alphas.
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

/// Proofs without x that satisfy the sum of the two equations, or another combination that
/// is known beforehand: aU + bV = s(aB + bH) - c(aY + bΓ) holds for
/// Γ = (z(aB + bH) - aY)/b, U = kB, V = kH and s = k + cz.
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

/// Keys that anyone can prove for: Y of small order in each encoding, x = 0, with Γ = xH (the
/// identity) and with Γ of small order.
pub fn small_order_keys(suite: &Suite) -> Vec<Case> {
    let mut cases = Vec::new();
    for key in small_order_encodings() {
        let anyone = Forger::with_key(suite, int(0), key, b"anyone", nonce());
        // With c = 0 mod 8 the multiple of Y vanishes under the RFC's rules, with 5 under
        // Cardano's.
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

/// s + kL for every k with which it fits 32 bytes; s at the edges of its range.
pub fn scalars(suite: &Suite) -> Vec<Case> {
    let honest = honest(suite, b"scalars");
    let at = suite.proof_len() - 32;
    let s = int_le(&honest.proof[at..]);
    let edges = [
        int(0),
        int(1),
        &*L - int(1),
        L.clone(),
        &*L + int(1),
        int(1) << 252,
        int(1) << 253,
        (int(1) << 255) - int(1),
        int(1) << 255,
        (int(1) << 256) - int(1),
    ];
    let multiples = (0..=16u32).map(|k| &s + &*L * k);
    let fits = |s: &BigUint| s.bits() <= 256;
    let cases = multiples.filter(fits).chain(edges).map(|s| {
        honest.changed(suite, format!("s = {s}"), |case| {
            case.proof[at..].copy_from_slice(&bytes_le(&s));
        })
    });
    cases.collect()
}

/// Encodings with y ≥ p and of points of small order, as Γ, U, V and Y: in an honest proof, and
/// in a proof whose c and s are made for them.
pub fn encodings(suite: &Suite) -> Vec<Case> {
    let honest = honest(suite, b"encodings");
    let forger = Forger::new(suite, 1, 0, b"encodings", nonce());
    let mut all = [non_canonical_encodings(), small_order_encodings()].concat();
    all.sort();
    all.dedup();
    let mut cases = Vec::new();
    for bytes in all {
        for (field, begin, end) in points(suite) {
            let name = format!("{field} = {bytes:02x?} in an honest proof");
            cases.push(honest.changed(suite, name, |case| {
                case.proof[begin..end].copy_from_slice(&bytes);
            }));
            let mut forger = forger.clone();
            match field {
                "Γ" => forger.gamma_bytes = Some(bytes),
                "U" => forger.u_bytes = Some(bytes),
                _ => forger.v_bytes = Some(bytes),
            }
            cases.push(forger.case(format!("{field} = {bytes:02x?} in a proof made for it")));
        }
        let name = format!("Y = {bytes:02x?} with an honest proof");
        cases.push(honest.changed(suite, name, |case| {
            case.key = bytes.to_vec();
        }));
        let mut forger = forger.clone();
        forger.key = bytes;
        forger.h = hash_to_curve(suite, &bytes, &forger.alpha).unwrap();
        cases.push(forger.case(format!("Y = {bytes:02x?} with a proof made for it")));
    }
    cases
}

/// One byte repeated, in each field, in the proof, the key, the output, and in all of them.
pub fn fills(suite: &Suite) -> Vec<Case> {
    let honest = honest(suite, b"fills");
    let mut cases = Vec::new();
    let mut push = |name: String, change: &dyn Fn(&mut Case)| {
        cases.push(honest.changed(suite, name, change));
    };
    for fill in [0x00, 0xff, 0x80, 0x7f] {
        for (field, begin, end) in fields(suite) {
            push(format!("{field} all {fill:02x}"), &|case| {
                case.proof[begin..end].fill(fill);
            });
        }
        push(format!("proof all {fill:02x}"), &|case| {
            case.proof.fill(fill)
        });
        push(format!("key all {fill:02x}"), &|case| case.key.fill(fill));
        push(format!("output all {fill:02x}"), &|case| {
            case.output = Some(vec![fill; 64]);
        });
        push(format!("everything all {fill:02x}"), &|case| {
            case.proof.fill(fill);
            case.key.fill(fill);
            case.output = Some(vec![fill; 64]);
        });
    }
    cases
}

/// Keys, proofs and outputs cut or padded to other lengths.
pub fn lengths(suite: &Suite) -> Vec<Case> {
    let honest = honest(suite, b"lengths");
    let lengths = [
        0, 1, 31, 32, 33, 63, 64, 65, 79, 80, 81, 127, 128, 129, 143, 144, 145, 1000,
    ];
    let mut cases = Vec::new();
    for len in lengths {
        let resized = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            bytes.resize(len, 0);
            bytes
        };
        let mut push = |what: &str, change: &dyn Fn(&mut Case)| {
            cases.push(honest.changed(suite, format!("{what} of {len} bytes"), change));
        };
        push("key", &|case| case.key = resized(&case.key));
        push("proof", &|case| case.proof = resized(&case.proof));
        push("output", &|case| {
            case.output = Some(resized(case.output.as_ref().unwrap()));
        });
        push("output, proof wrong", &|case| {
            case.output = Some(resized(case.output.as_ref().unwrap()));
            case.proof[0] ^= 1;
        });
        push("everything", &|case| {
            case.key = resized(&case.key);
            case.proof = resized(&case.proof);
            case.output = Some(resized(case.output.as_ref().unwrap()));
        });
    }
    cases
}

/// A claim with one part of another claim, or with one field of its proof.
pub fn swaps(suite: &Suite) -> Vec<Case> {
    let (one, two) = (honest(suite, b"one"), honest(suite, b"two"));
    let other_key = expand(&owner(2)).public;
    let mut cases = Vec::new();
    let mut push = |name: &str, change: &dyn Fn(&mut Case)| {
        cases.push(one.changed(suite, name, change));
    };
    push("honest", &|_| ());
    push("output not claimed", &|case| case.output = None);
    push("output of another", &|case| {
        case.output = two.output.clone()
    });
    push("alpha of another", &|case| case.alpha = two.alpha.clone());
    push("key of another", &|case| case.key = other_key.to_vec());
    push("proof of another", &|case| case.proof = two.proof.clone());
    push("proof and output of another", &|case| {
        case.proof = two.proof.clone();
        case.output = two.output.clone();
    });
    for (field, begin, end) in fields(suite) {
        push(&format!("{field} of another"), &|case| {
            case.proof[begin..end].copy_from_slice(&two.proof[begin..end]);
        });
    }
    if suite.form != Form::Bytes80 {
        push("U and V exchanged", &|case| {
            let (u, v) = case.proof[32..96].split_at_mut(32);
            u.swap_with_slice(v);
        });
    }
    cases
}

/// A claim with the proof of the same input in every other suite.
pub fn foreign(suite: &Suite) -> Vec<Case> {
    let one = honest(suite, b"one");
    let mut cases = Vec::new();
    for other in SUITES.iter().filter(|other| other.name != suite.name) {
        let foreign = honest(other, b"one");
        let name = format!("proof of {}", other.name);
        cases.push(one.changed(suite, name, |case| {
            case.proof.clone_from(&foreign.proof);
        }));
        let name = format!("proof and output of {}", other.name);
        cases.push(one.changed(suite, name, |case| {
            case.proof.clone_from(&foreign.proof);
            case.output.clone_from(&foreign.output);
        }));
    }
    cases
}

/// One bit flipped in each byte of the proof and the key and in some of the output; alpha with a byte more, a
/// byte less, a flipped bit, and empty.
pub fn flips(suite: &Suite) -> Vec<Case> {
    let honest = honest(suite, b"flips");
    let mut rng = Rng(1);
    let mut cases = Vec::new();
    let mut push = |name: String, change: &mut dyn FnMut(&mut Case)| {
        cases.push(honest.changed(suite, name, change));
    };
    for at in 0..suite.proof_len() {
        push(format!("bit of proof byte {at}"), &mut |case| {
            rng.flip_a_bit(&mut case.proof, at);
        });
    }
    for at in 0..32 {
        push(format!("bit of key byte {at}"), &mut |case| {
            rng.flip_a_bit(&mut case.key, at);
        });
    }
    for at in (0..64).step_by(5) {
        push(format!("bit of output byte {at}"), &mut |case| {
            rng.flip_a_bit(case.output.as_mut().unwrap(), at);
        });
    }
    // Sign bits, which the random bits above may miss.
    for (field, _, end) in points(suite) {
        push(format!("sign of {field}"), &mut |case| {
            case.proof[end - 1] ^= 0x80;
        });
    }
    push("sign of the key".to_string(), &mut |case| {
        case.key[31] ^= 0x80
    });
    push("alpha with a zero byte more".to_string(), &mut |case| {
        case.alpha.push(0)
    });
    push("alpha with a byte less".to_string(), &mut |case| {
        case.alpha.pop();
    });
    push("alpha with a flipped bit".to_string(), &mut |case| {
        case.alpha[0] ^= 1
    });
    push("no alpha".to_string(), &mut |case| case.alpha.clear());
    cases
}

/// Groups of claims whose errors cancel if a batch adds them with equal coefficients.
pub fn groups(suite: &Suite) -> Vec<Vec<Case>> {
    let mut groups = Vec::new();
    let at = suite.proof_len() - 32;

    // s + 1 and s - 1, s + L/2 and so on, on the same proof.
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

    // Errors on one point of two to eight claims that add up to the identity: of small order,
    // and of prime order.
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
