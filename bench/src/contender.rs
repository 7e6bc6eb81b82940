//! Who is measured: klero on each backend, and the published crate of the seeds.

use klero::{Backend, Batch, Claim, Suite};
use vrf_dalek::vrf03::{PublicKey03, SecretKey03, VrfProof03};
use vrf_dalek::vrf10::PublicKey10;
use vrf_dalek::vrf10_batchcompat::{BatchItem, BatchVerifier, VrfProof10BatchCompat};

use crate::inputs::{Answers, Inputs, Row, Work};

/// An implementation of ECVRF. All do the same from bytes to bytes: verification
/// ends with the outputs, proving with proofs and outputs.
pub trait Contender {
    /// How it is called in tables and files.
    fn name(&self) -> String;

    /// Does the work of a row once. `None` if it does not know the suite or the
    /// work; else whether every claim is valid.
    fn run(&self, row: &Row, inputs: &Inputs, answers: &mut Answers) -> Option<bool>;
}

/// Klero on one backend.
pub struct Klero(pub Backend);

impl Contender for Klero {
    fn name(&self) -> String {
        format!("klero-{}", self.0.name())
    }

    fn run(&self, row: &Row, inputs: &Inputs, answers: &mut Answers) -> Option<bool> {
        let (suite, Self(backend)) = (row.suite, self);
        let claims = (0..row.claims).map(|i| Claim {
            key: &inputs.keys[i],
            alpha: &inputs.alphas[i],
            proof: inputs.proof(suite, i),
            output: None,
        });
        let requests = inputs.secrets.iter().zip(&inputs.alphas);
        let requests = requests.map(|(key, alpha)| (key, alpha.as_slice()));
        let mut valid = true;
        let mut verdicts = |verdicts: Vec<klero::Verdict>, outputs: &mut [[u8; 64]]| {
            for (verdict, output) in verdicts.into_iter().zip(outputs) {
                match verdict {
                    Ok(proven) => *output = proven.0,
                    Err(_) => valid = false,
                }
            }
        };
        match row.work {
            Work::Verify => {
                let mut batch = Batch::new(suite).with_backend(*backend);
                batch.extend(claims);
                verdicts(batch.verify(), &mut answers.outputs);
            }
            Work::VerifyAlone => {
                for (claim, output) in claims.zip(&mut answers.outputs) {
                    let verdict = suite.verify_on(*backend, &claim);
                    verdicts(vec![verdict], std::slice::from_mut(output));
                }
            }
            Work::Prove => {
                let made = suite.prove_batch_on(*backend, &requests.collect::<Vec<_>>());
                write_proofs(suite, made, 0, answers);
            }
            Work::ProveAlone => {
                for (i, request) in requests.enumerate() {
                    let made = suite.prove_batch_on(*backend, &[request]);
                    write_proofs(suite, made, i, answers);
                }
            }
        }
        Some(valid)
    }
}

fn write_proofs(
    suite: &Suite,
    made: Vec<(klero::Proof, klero::Output)>,
    first: usize,
    answers: &mut Answers,
) {
    let proofs = answers.proofs.chunks_mut(suite.proof_len());
    let places = proofs.zip(&mut answers.outputs).skip(first);
    for ((proof, output), (place, output_place)) in made.iter().zip(places) {
        place.copy_from_slice(proof.as_bytes());
        *output_place = output.0;
    }
}

/// The crate `amaru-vrf-dalek`, with random coefficients in its batches.
pub struct VrfDalek;

impl Contender for VrfDalek {
    fn name(&self) -> String {
        "vrf_dalek".into()
    }

    fn run(&self, row: &Row, inputs: &Inputs, answers: &mut Answers) -> Option<bool> {
        let all = 0..row.claims;
        match (row.suite.name, row.work) {
            ("praos", Work::Verify | Work::VerifyAlone) => Some(all.into_iter().all(|i| {
                praos_verify(row.suite, inputs, i)
                    .map(|output| answers.outputs[i] = output)
                    .is_some()
            })),
            ("praos", Work::Prove | Work::ProveAlone) => {
                for i in all {
                    let [seed, _] = inputs.secret_bytes[i].as_chunks().0 else {
                        return None;
                    };
                    let proof = VrfProof03::generate(
                        &PublicKey03::from_bytes(&inputs.keys[i]),
                        &SecretKey03::from_bytes(seed),
                        &inputs.alphas[i],
                    );
                    answers.proofs[80 * i..][..80].copy_from_slice(&proof.to_bytes());
                    answers.outputs[i] = proof.proof_to_hash();
                }
                Some(true)
            }
            ("draft10-tai-bc", Work::Verify) => Some(batch(row.suite, inputs, answers).is_some()),
            _ => None,
        }
    }
}

fn praos_verify(suite: &Suite, inputs: &Inputs, i: usize) -> Option<[u8; 64]> {
    let proof = VrfProof03::from_bytes(inputs.proof(suite, i).try_into().ok()?).ok()?;
    let key = PublicKey03::from_bytes(&inputs.keys[i]);
    proof.verify(&key, &inputs.alphas[i]).ok()
}

/// This crate wants the outputs and checks them, where the others make them.
fn batch(suite: &Suite, inputs: &Inputs, answers: &mut Answers) -> Option<()> {
    let n = inputs.keys.len();
    let mut batch = BatchVerifier::new(n);
    for i in 0..n {
        let proof = inputs.proof(suite, i).try_into().ok()?;
        let item = BatchItem {
            proof: VrfProof10BatchCompat::from_bytes(proof).ok()?,
            key: PublicKey10::from_bytes(&inputs.keys[i]),
            msg: inputs.alphas[i].to_vec(),
            output: inputs.outputs[i],
        };
        answers.outputs[i] = item.output;
        batch.insert(item).ok()?;
    }
    batch.verify().ok()
}
