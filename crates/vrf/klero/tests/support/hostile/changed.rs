//! Honest claims with some parts changed.

use klero_reference::curve::L;
use klero_reference::field::{bytes_le, int, int_le};
use klero_reference::{BigUint, Form, SUITES, Suite, expand, hash_to_curve};

use super::honest;
use crate::support::case::{Case, owner};
use crate::support::forger::{Forger, non_canonical_encodings, nonce, small_order_encodings};
use crate::support::rng::Rng;

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

/// Claims with s + kL for every k for which the sum fits in 32 bytes. Also claims with s at the edges of its
/// range and above it.
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

/// Claims in which Γ, U, V or the key Y has an encoding with y ≥ p, or an encoding of a point of small order.
/// Each encoding occurs in a claim that is otherwise honest, and in one whose c and s are made for it.
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

/// Claims in which a field of the proof, the whole proof, the key, the output or all of them repeat one byte.
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

/// Claims in which the key, the proof, the output or all three are cut or extended to many lengths, including
/// the right ones. In other claims, the output has one of these lengths, and the proof is wrong.
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

/// Variants of a claim: unchanged, without output, and with U and V (if any) exchanged. In other variants,
/// one part, one field of the proof, or both the proof and the output come from another claim.
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

/// Claims whose proof, or proof and output, were made for the same key and alpha in another suite.
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

/// Claims with one flipped bit: one claim for each byte of the proof and the key, and for some bytes of the
/// output. Also claims with an alpha that has a byte more, a byte less or a flipped bit, or is empty.
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
    // Flips the sign bits, too, because the random bits above may miss them.
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
