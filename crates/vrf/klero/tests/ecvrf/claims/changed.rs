//! Honest claims with one part changed.

use klero_reference::{self as reference, Form, Suite, expand};

use super::maker::{EQUATIONS, GAMMA, KEY, LENGTH, Maker, OUTPUT};
use crate::support::case::{Case, owner};

pub fn make(maker: &mut Maker, suites: &[&'static Suite]) {
    other_suites(maker, suites);
    modified(maker);
    outputs(maker);
    lengths(maker);
}

fn other_suites(maker: &mut Maker, suites: &[&'static Suite]) {
    let proof = |suite| reference::prove(suite, &owner(1), b"alpha").0;
    let mut seen = vec![proof(maker.suite)];
    for suite in suites {
        let other = proof(suite);
        if other.len() == maker.suite.proof_len() && !seen.contains(&other) {
            seen.push(other.clone());
            maker.change(
                EQUATIONS,
                "OtherSuite",
                &format!("proof of {}", suite.name),
                |case| {
                    case.proof = other;
                },
            );
        }
    }
}

fn modified(maker: &mut Maker) {
    let other = maker.honest(1, b"other");
    let key = expand(&owner(2)).public;
    let end = maker.suite.proof_len();
    let mut change = |comment: &str, change: &dyn Fn(&mut Case)| {
        maker.change(EQUATIONS, "Modified", comment, change);
    };
    change("alpha with a zero byte more", &|case| case.alpha.push(0));
    change("key of another owner", &|case| case.key = key.to_vec());
    change("key negated", &|case| case.key[31] ^= 0x80);
    change("Gamma negated", &|case| case.proof[31] ^= 0x80);
    change("Gamma of another alpha", &|case| {
        case.proof[..32].copy_from_slice(&other.proof[..32]);
    });
    change("s of another alpha", &|case| {
        case.proof[end - 32..].copy_from_slice(&other.proof[end - 32..]);
    });
    if end == 80 {
        change("lowest bit of c", &|case| case.proof[32] ^= 1);
        change("c = 0", &|case| case.proof[32..48].fill(0));
    }
    change("proof all zeros", &|case| case.proof.fill(0));
    maker.change(GAMMA, "Modified", "proof all ff", |case| {
        case.proof.fill(0xff)
    });
}

fn outputs(maker: &mut Maker) {
    let suite = maker.suite;
    let honest = maker.honest(1, b"alpha");
    let gamma = *honest.proof.first_chunk().unwrap();
    let other = maker.honest(1, b"other").output;
    let without_cofactor = reference::output(suite, &gamma).to_vec();
    let cases = [
        ("beta of Gamma without the cofactor", Some(without_cofactor)),
        ("beta of another alpha", other),
        ("beta all zeros", Some(vec![0; 64])),
    ];
    for (comment, beta) in cases {
        maker.change(OUTPUT, "Output", comment, |case| case.output = beta);
    }
}

fn lengths(maker: &mut Maker) {
    let whole = maker.suite.proof_len();
    for len in [0, whole - 1, whole + 1] {
        maker.change(LENGTH, "ProofLength", &format!("{len} bytes"), |case| {
            case.proof.resize(len, 0);
        });
    }
    for form in [Form::Bytes80, Form::Bytes128] {
        let other = Suite {
            form,
            ..*maker.suite
        };
        if form != maker.suite.form {
            let comment = format!("the same proof in the form of {} bytes", other.proof_len());
            maker.change(LENGTH, "ProofLength", &comment, |case| {
                case.proof = reference::prove(&other, &owner(1), &case.alpha).0;
            });
        }
    }
    for len in [31, 33] {
        maker.change(KEY, "KeyLength", &format!("{len} bytes"), |case| {
            case.key.resize(len, 0);
        });
    }
}
