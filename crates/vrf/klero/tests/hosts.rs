//! Tests that keys, proofs and verdicts are the same in every floating-point environment. Also tests that no
//! exception is raised, and that the environment is unchanged afterwards.

#![cfg(target_arch = "x86_64")]
// The environment is changed in assembly.
#![allow(unsafe_code)]

#[path = "../../lanes/tests/hosts/host.rs"]
mod host;
mod support;

use klero::{Method, Prover, SecretKey, Verifier};
use klero_reference::Suite;
use support::case::{Case, Expected, honest, owner};
use support::compare::{backends, subject, verdict};
use support::hostile;
use support::rng::Rng;

every_suite!(any_host);

fn any_host(suite: &Suite) {
    if !host::in_a_child(&format!("any_host::{}", suite.name.replace('-', "_"))) {
        return;
    }
    let mut cases = honest(suite, 5);
    cases.extend(hostile::some_torsion(suite, &mut Rng(17), 8));
    cases.extend(hostile::swaps(suite).into_iter().take(6));
    let expected: Vec<Expected> = cases.iter().map(|case| case.expected).collect();
    let proven = prove(suite);
    for backend in backends() {
        backend.make_default();
        for environment in host::environments() {
            eprintln!("{} on {backend:?}, MXCSR {environment:#06x}", suite.name);
            let (again, after) = host::within(environment, || prove(suite));
            assert_eq!(after, environment, "{after:#06x} after proving");
            assert_eq!(again, proven);
            let (verdicts, after) = host::within(environment, || verify(suite, &cases));
            assert_eq!(after, environment, "{after:#06x} after verifying");
            for verdicts in verdicts {
                assert_eq!(verdicts, expected);
            }
        }
    }
}

/// Makes three things: keys, proofs (one alone and many at once), and outputs (from proofs and without
/// proofs).
fn prove(suite: &Suite) -> Vec<Vec<u8>> {
    let suite = subject(suite);
    let keys: Vec<_> = (0..9)
        .map(|index| SecretKey::from_seed(suite, &owner(index)))
        .collect();
    let requests: Vec<_> = keys.iter().map(|key| (key, &b"alpha"[..])).collect();
    let mut proofs = Prover::new().prove_many(&requests);
    proofs.push(keys[0].prove(b""));
    let outputs = proofs
        .iter()
        .map(|(proof, _)| suite.proof_to_hash(proof.as_bytes()).unwrap());
    let mut outputs: Vec<_> = outputs.map(|output| output.0.to_vec()).collect();
    let evaluated = Prover::new().evaluate_many(&requests);
    outputs.extend(evaluated.iter().map(|output| output.0.to_vec()));
    outputs.push(keys[0].evaluate(b"").0.to_vec());
    let keys = keys.iter().map(|key| key.public_key().as_bytes().to_vec());
    let proofs = proofs
        .iter()
        .map(|(proof, output)| [proof.as_bytes(), &output.0].concat());
    keys.chain(proofs).chain(outputs).collect()
}

/// Verifies the claims one by one, in batches with and without a sum, and with kept keys.
fn verify(suite: &Suite, cases: &[Case]) -> Vec<Vec<Expected>> {
    let suite = subject(suite);
    let alone = cases
        .iter()
        .map(|case| verdict(Verifier::new(suite).verify(&case.claim())));
    let mut verdicts = vec![alone.collect()];
    let claims: Vec<_> = cases.iter().map(Case::claim).collect();
    for method in [Method::Sum, Method::OneByOne] {
        let report = Verifier::new(suite).method(method).verify_many(&claims);
        verdicts.push(report.verdicts.into_iter().map(verdict).collect());
    }
    // Multiples of a key are kept from its fourth use on.
    let keeps = Verifier::new(suite).keep_keys(cases.len());
    let keeps = keeps.method(Method::OneByOne);
    for _ in 0..5 {
        let report = keeps.verify_many(&claims);
        verdicts.push(report.verdicts.into_iter().map(verdict).collect());
    }
    verdicts
}
