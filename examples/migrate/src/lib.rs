//! Compares another crate with Klero on the claims of `vectors/`, for the examples. Each example
//! shows the old call in its module `before` and the new call in its module `now`.

use std::fmt::Display;

use klero::{Invalid, Suite};
use serde::Deserialize;

const FILES: [&str; 6] = [
    include_str!("../../../vectors/cardano-base.json"),
    include_str!("../../../vectors/cross-implementation.json"),
    include_str!("../../../vectors/edge-cases.json"),
    include_str!("../../../vectors/hostile.json"),
    include_str!("../../../vectors/more-suites.json"),
    include_str!("../../../vectors/rfc9381.json"),
];

/// A claim of `vectors/`.
#[derive(Clone, Deserialize)]
struct Vector {
    suite: String,
    name: String,
    #[serde(default, with = "hex")]
    sk: Vec<u8>,
    #[serde(with = "hex")]
    pk: Vec<u8>,
    #[serde(with = "hex")]
    alpha: Vec<u8>,
    #[serde(with = "hex")]
    pi: Vec<u8>,
    valid: bool,
}

/// Every claim on this suite: those of the files, and each of them with a key and with a proof
/// that is cut short.
fn vectors(suite: Suite) -> Vec<Vector> {
    let mut vectors: Vec<Vector> = FILES
        .iter()
        .flat_map(|file| serde_json::from_str::<Vec<_>>(file).expect("vectors are JSON"))
        .filter(|vector: &Vector| vector.suite == suite.name())
        .collect();
    for i in 0..vectors.len() {
        for cut in ["pk", "pi"] {
            let mut vector = vectors[i].clone();
            if cut == "pk" {
                &mut vector.pk
            } else {
                &mut vector.pi
            }
            .pop();
            vector.name = format!("{}, {cut} cut short", vector.name);
            vector.valid = false;
            vectors.push(vector);
        }
    }
    vectors
}

/// Proves with both for every secret key and input of `vectors/`, and prints how often.
///
/// Both take seed and alpha, and return the proof and the output, or as much of the output as
/// the old crate shows.
///
/// # Panics
/// If proofs or outputs differ.
pub fn compare_proofs(
    suite: Suite,
    before: impl Fn(&[u8; 32], &[u8]) -> Proven,
    now: impl Fn(&[u8; 32], &[u8]) -> Proven,
) {
    let mut proofs = 0;
    for Vector {
        name, sk, alpha, ..
    } in vectors(suite)
    {
        if let Ok(seed) = sk.as_slice().try_into() {
            assert_eq!(now(seed, &alpha), before(seed, &alpha), "{name}");
            proofs += 1;
        }
    }
    assert_ne!(proofs, 0, "no vector of {suite} has a secret key");
    println!("{suite}: the same {proofs} proofs");
}

/// A proof and an output, as bytes.
pub type Proven = (Vec<u8>, Vec<u8>);

/// Both as bytes.
pub fn bytes((proof, output): (impl AsRef<[u8]>, impl AsRef<[u8]>)) -> Proven {
    (proof.as_ref().to_vec(), output.as_ref().to_vec())
}

/// Asks both about every claim of `vectors/`, hostile ones included, and prints the verdicts.
///
/// Both take key, alpha and proof, and return the output, or as much of it as the old crate
/// shows. One difference is allowed: Klero refuses an s of L or more. Returns how many claims
/// only the old crate accepts for this reason.
///
/// # Panics
/// If there is another difference, or if Klero's verdict is not the one in `vectors/`.
#[must_use]
pub fn compare_verdicts<O: AsRef<[u8]>, P: AsRef<[u8]>, E: Display>(
    suite: Suite,
    before: impl Fn(&[u8], &[u8], &[u8]) -> Result<O, E>,
    now: impl Fn(&[u8], &[u8], &[u8]) -> Result<P, Invalid>,
) -> usize {
    let (mut valid, mut invalid, mut reduced) = (0, 0, 0);
    for Vector {
        name,
        pk,
        alpha,
        pi,
        valid: expected,
        ..
    } in vectors(suite)
    {
        let verdict = now(&pk, &alpha, &pi);
        assert_eq!(verdict.is_ok(), expected, "{name}");
        match (before(&pk, &alpha, &pi), verdict) {
            (Ok(old), Ok(new)) => {
                assert_eq!(new.as_ref(), old.as_ref(), "{name}");
                valid += 1;
            }
            (Err(_), Err(_)) => invalid += 1,
            (Ok(_), Err(Invalid::ScalarNotCanonical)) => reduced += 1,
            (Ok(_), Err(reason)) => panic!("{name}: only the old crate accepts it; now: {reason}"),
            (Err(reason), Ok(_)) => panic!("{name}: only Klero accepts it; before: {reason}"),
        }
    }
    println!(
        "{suite}: both accept {valid} claims and refuse {invalid}; Klero also refuses {reduced}"
    );
    reduced
}

/// Key, alpha and proof of one claim of `vectors/`.
///
/// # Panics
/// If the suite has no claim of this name.
pub fn claim(suite: Suite, name: &str) -> [Vec<u8>; 3] {
    let vector = vectors(suite)
        .into_iter()
        .find(|vector| vector.name == name);
    let Vector { pk, alpha, pi, .. } = vector.expect("the claim is in vectors/");
    [pk, alpha, pi]
}
