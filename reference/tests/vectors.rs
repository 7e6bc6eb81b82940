//! The model on every vector: it makes the proofs, and gives the verdicts.

use klero_reference::field::bytes_le;
use klero_reference::vectors::{Vector, read};
use klero_reference::{
    Invalid, curve::B, evaluate, expand, hash_to_curve, nonce, proof_to_hash, prove, verify,
};

fn check(file: &str, count: usize) {
    let vectors = read(file);
    assert_eq!(vectors.len(), count, "{file}");
    vectors.iter().for_each(check_one);
}

fn check_one(vector: &Vector) {
    let Vector {
        suite,
        name,
        sk,
        pk,
        alpha,
        pi,
        beta,
        valid,
        ..
    } = vector;
    let context = format!("{} {name}", suite.name);
    let verdict = verify(suite, pk, alpha, pi, beta.as_deref());
    assert_eq!(verdict.is_ok(), *valid, "{context}: {verdict:?}");
    if let Some(seed) = sk {
        let (proof, output) = prove(suite, seed, alpha);
        assert_eq!(expand(seed).public[..], pk[..], "{context}");
        assert_eq!(proof, *pi, "{context}");
        assert_eq!(Some(&output[..]), beta.as_deref(), "{context}");
        assert_eq!(evaluate(suite, seed, alpha), output, "{context}");
        assert_eq!(proof_to_hash(suite, pi), Ok(output), "{context}");
    }
}

#[test]
fn rfc9381() {
    check("rfc9381.json", 6);
}

#[test]
fn intermediate_values_of_rfc9381() {
    for vector in read("rfc9381.json") {
        let key = expand(&vector.sk.unwrap());
        let h = hash_to_curve(vector.suite, &key.public, &vector.alpha).unwrap();
        let k = nonce(vector.suite, &key.prefix, &h.encode());
        for (field, value) in [
            ("x", bytes_le(&key.x)),
            ("h", h.encode()),
            ("k", bytes_le(&k)),
            ("u", B.mul(&k).encode()),
            ("v", h.mul(&k).encode()),
        ] {
            assert_eq!(vector.field(field), value, "{field} of {}", vector.name);
        }
    }
}

#[test]
fn cardano_base() {
    check("cardano-base.json", 14);
}

#[test]
fn cross_implementation() {
    check("cross-implementation.json", 160);
}

#[test]
fn more_suites() {
    check("more-suites.json", 48);
}

#[test]
fn edge_cases() {
    check("edge-cases.json", 36);
}

#[test]
fn hostile() {
    check("hostile.json", 291);
}

/// Every check fails for the reason that it has, and the first one counts.
#[test]
fn reasons() {
    let vector = &read("rfc9381.json")[3];
    let honest = (&vector.pk[..], &vector.pi[..], vector.beta.as_deref());
    let verdict = |(key, proof, output)| verify(vector.suite, key, &vector.alpha, proof, output);
    let with = |at: usize, bytes: &[u8]| {
        let mut proof = vector.pi.clone();
        proof[at..at + bytes.len()].copy_from_slice(bytes);
        proof
    };
    let (key, proof, output) = honest;
    let not_canonical = [0xff; 32];
    // The smallest y that belongs to no point.
    let not_on_curve = *[&[2][..], &[0; 31]].concat().first_chunk::<32>().unwrap();
    let identity = *[&[1][..], &[0; 31]].concat().first_chunk::<32>().unwrap();
    let cases = [
        ((&key[1..], proof, output), Invalid::KeyLength(31)),
        ((&not_canonical, proof, output), Invalid::KeyNotCanonical),
        ((&not_on_curve, proof, output), Invalid::KeyNotOnCurve),
        ((&identity, proof, output), Invalid::KeySmallOrder),
        (
            (key, &proof[1..], output),
            Invalid::ProofLength {
                expected: 80,
                got: 79,
            },
        ),
        (
            (key, &with(0, &not_canonical), output),
            Invalid::GammaNotCanonical,
        ),
        (
            (key, &with(0, &not_on_curve), output),
            Invalid::GammaNotOnCurve,
        ),
        (
            (key, &with(48, &[0xff; 32]), output),
            Invalid::ScalarNotCanonical,
        ),
        (
            (key, &with(32, &[0; 16]), output),
            Invalid::ChallengeMismatch,
        ),
        ((key, proof, Some(&[0; 63][..])), Invalid::OutputLength(63)),
        ((key, proof, Some(&[0; 64][..])), Invalid::OutputMismatch),
    ];
    for (claim, reason) in cases {
        assert_eq!(verdict(claim), Err(reason));
    }
    assert!(verdict(honest).is_ok());
}
