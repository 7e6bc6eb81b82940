//! Tests the library with the proofs in `vectors/`. It must make each proof that comes with a seed, and
//! verify all proofs, alone and in batches. Each file's vectors are counted, so that none is skipped.
//!
//! The tests of `klero-reference` compare the model with the same vectors.

mod support;

use klero::SecretKey;
use klero_reference::vectors::{Vector, read};
use klero_reference::{SUITES, Suite};
use support::case::{Case, honest};
use support::compare::{check_among, check_batch, check_everywhere, subject};
use support::rng::Rng;

fn check(vectors: &[Vector]) {
    let mut rng = Rng(3);
    for suite in &SUITES {
        let of_suite = || vectors.iter().filter(|vector| vector.suite == suite);
        let cases: Vec<Case> = of_suite().map(case).collect();
        if cases.is_empty() {
            continue;
        }
        of_suite().for_each(check_prove);
        let neighbours = honest(suite, 64);
        for case in cases.iter().enumerate() {
            check_everywhere(suite, &neighbours, &mut rng, case);
        }
        check_batch(suite, &cases);
        check_among(suite, &neighbours, 64, 32, &cases);
    }
}

/// Returns the vector's claim. Its expected verdict is the model's, which must agree with the vector.
fn case(vector: &Vector) -> Case {
    let Vector { suite, name, .. } = vector;
    let mut case = Case::new(suite, name, &vector.pk, &vector.alpha, &vector.pi);
    case.output = vector.beta.clone();
    assert_eq!(
        case.expected.is_ok(),
        vector.valid,
        "{} {case:x?}",
        suite.name
    );
    if let (Ok(output), Some(beta)) = (case.expected, &vector.beta) {
        assert_eq!(output[..], beta[..], "{} {case:x?}", suite.name);
    }
    case
}

/// Asserts that the library makes the vector's public key, proof and output from its seed.
fn check_prove(vector: &Vector) {
    let Vector { suite, name, .. } = vector;
    let Some(seed) = vector.sk else { return };
    let made = Case::honest(&SecretKey::from_seed(subject(suite), &seed), &vector.alpha);
    assert_eq!(made.key, vector.pk, "{} {name}", suite.name);
    assert_eq!(made.proof, vector.pi, "{} {name}", suite.name);
    assert_eq!(made.output, vector.beta, "{} {name}", suite.name);
}

/// Counts the vectors and the valid vectors of a file, and then checks them all.
fn check_file(file: &str, count: usize, valid: usize) {
    let vectors = read(file);
    assert_eq!(vectors.len(), count);
    assert_eq!(vectors.iter().filter(|vector| vector.valid).count(), valid);
    check(&vectors);
}

#[test]
fn the_model_and_the_library_have_the_same_suites() {
    assert_eq!(klero::Suite::ALL.len(), SUITES.len());
    for suite in &SUITES {
        let subject = subject(suite);
        assert_eq!(subject.name(), suite.name);
        assert_eq!(subject.octet(), suite.octet);
        assert_eq!(subject.proof_len(), suite.proof_len());
    }
}

#[test]
fn rfc9381() {
    check_file("rfc9381.json", 6, 6);
}

/// Tests the RFC's examples in batch-compatible form, which has U and V instead of c.
#[test]
fn rfc9381_batch_compatible_form() {
    let vectors = read("rfc9381.json").into_iter().map(|mut vector| {
        let (gamma, s) = (&vector.pi[..32], &vector.pi[48..]);
        vector.pi = [gamma, &vector.field("u"), &vector.field("v"), s].concat();
        let name = format!("{}-bc", vector.suite.name);
        vector.suite = Suite::named(&name).unwrap();
        vector
    });
    check(&vectors.collect::<Vec<_>>());
}

#[test]
fn cardano_base() {
    check_file("cardano-base.json", 14, 14);
}

#[test]
fn cross_implementation() {
    check_file("cross-implementation.json", 160, 160);
}

#[test]
fn more_suites() {
    check_file("more-suites.json", 48, 48);
}

#[test]
fn edge_cases() {
    check_file("edge-cases.json", 36, 12);
}

#[test]
fn hostile() {
    check_file("hostile.json", 291, 107);
}
