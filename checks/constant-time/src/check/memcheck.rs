//! Secrets as undefined memory: valgrind reports every branch and every address that was
//! computed from undefined memory.
//!
//! A program that reads a secret from text or bytes branches once it knows whether that is a secret
//! at all. This verdict is public, and the same for all secrets, but valgrind cannot know: it
//! reports as many branches as each part says, and not one more. Nor can it know that a proof is public
//! once it is made: where the library verifies one that it made, as many reports are expected as
//! verifying gives for a proof that is marked as secret.

use std::hint::black_box;

use anyhow::ensure;
use klero::{Backend, SecretKey, Suite};

use super::subject::{LEAKS, Part, Prover, Use};
use super::table;
use super::valgrind::{self, secret};

/// Checks one backend.
pub fn check(backend: Backend) -> anyhow::Result<()> {
    ensure!(valgrind::is_running(), "run this under valgrind");
    let name = backend.name();
    for part in Part::all(Suite::ALL) {
        // One run is enough: valgrind does not look at the values of secrets.
        let provers = &part.runs(backend)[0];
        let Some(verdicts) = verdicts(&part, &provers[0]) else {
            continue;
        };
        // The first run makes tables.
        part.run(provers, None);
        // Reported though nothing is secret: the compiler may branch on a register that it has not
        // set, where the program does the same either way.
        let of_compiler =
            valgrind::errors(|| valgrind::without_secrets(|| part.run(provers, None)));
        let expected = of_compiler + verdicts;
        for leak in &LEAKS {
            let errors = valgrind::errors(|| part.run(provers, Some(leak)));
            ensure!(
                errors > expected,
                "{name}: valgrind does not report {} in {}",
                leak.0,
                part.name()
            );
        }
        let errors = valgrind::errors(|| part.run(provers, None));
        ensure!(
            errors == expected,
            "{name}: a branch or an address depends on a secret in {}: {errors} reports, where \
             {verdicts} are of verdicts and {of_compiler} of the compiler",
            part.name()
        );
        table::row(&part, "all");
    }
    Ok(())
}

/// The number of reports that are not of leaks, or nothing where valgrind can follow no secret.
fn verdicts(part: &Part, prover: &Prover) -> Option<u64> {
    match part {
        Part::Keys(suite, Use::OneCheckedProof) => Some(of_comparing_proofs(*suite, prover)),
        Part::Multiply | Part::Keys(..) => Some(0),
        Part::Path(path) => path.verdicts,
    }
}

/// The reports on what `prove_checked` does with the two proofs that it made.
fn of_comparing_proofs(suite: Suite, prover: &Prover) -> u64 {
    let key = SecretKey::from_seed(suite, &prover.seed);
    let pair = [key.prove(&prover.alpha), key.prove(&prover.alpha)];
    for (proof, output) in &pair {
        secret(proof.as_bytes());
        secret(output);
    }
    valgrind::errors(|| {
        let [made, again] = black_box(pair);
        let (proof, output) = made;
        let verdict = suite.verify(key.public_key(), &prover.alpha, &proof);
        // Branches as the library does.
        let checked = if made == again && verdict == Ok(output) {
            Some(made)
        } else {
            None
        };
        black_box(checked);
    })
}
