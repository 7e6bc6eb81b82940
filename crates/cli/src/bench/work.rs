//! The work that is measured. Its claims are the same in every run.

use std::ops::Range;

use klero::{Backend, Claim, Output, Prover, SecretKey, Suite, Verifier};

use super::rounds::{Row, Work};

/// The number of proofs that one call verifies or makes in most rows.
const TOGETHER: usize = 1024;

/// The name of the row that measures the usual work on Cardano's proofs.
pub const CARDANO: &str = "verify 1024, praos";

/// The number of calls that are timed together if each call has only one claim. Together, they take much
/// longer than reading the clock.
const ALONE: usize = 32;

/// The number of keys in the row that uses the same keys again and again.
const KEYS: usize = 40;

/// The largest number of claims that one sum verifies. At this size, a wrong claim costs the most time.
const SUMMED: usize = 2048;

/// A kind of work on claims.
#[derive(Clone, Copy)]
enum Task {
    Verify,
    /// Verify, and keep the public keys from call to call.
    KeepKeys,
    Prove,
    Evaluate,
}

/// The claims of all rows.
pub struct Sets {
    /// Proofs of 80 bytes, which are verified side by side.
    short: Claims,
    /// Proofs of 128 bytes, which are verified by one sum.
    long: Claims,
    few_keys: Claims,
    one_wrong: Claims,
}

impl Sets {
    pub fn new() -> Self {
        let (short, long) = (Suite::PRAOS, Suite::RFC9381_ELL2_BC);
        Self {
            short: Claims::new(short, TOGETHER, TOGETHER),
            long: Claims::new(long, TOGETHER, TOGETHER),
            few_keys: Claims::new(short, TOGETHER, KEYS),
            // The search reaches the claims past the middle last, so a wrong one there costs the most time.
            one_wrong: Claims::new(long, SUMMED, SUMMED).spoilt(SUMMED * 3 / 5),
        }
    }

    /// The rows: the usual work first, then work whose cost depends on the claims.
    pub fn rows<'c>(&'c self, backends: &[Backend]) -> Vec<Row<'c>> {
        let all = |what, claims: &'c Claims, task| (what, claims, claims.len(), claims.len(), task);
        let alone = |what, task| (what, &self.short, ALONE, 1, task);
        let rows = [
            all("verify 1024", &self.short, Task::Verify),
            all("verify 1024", &self.long, Task::Verify),
            all("prove 1024", &self.short, Task::Prove),
            all("evaluate 1024", &self.short, Task::Evaluate),
            alone("verify one alone", Task::Verify),
            alone("prove one alone", Task::Prove),
            alone("evaluate one alone", Task::Evaluate),
            all(
                "verify 1024 of 40 keys, keys kept",
                &self.few_keys,
                Task::KeepKeys,
            ),
            all("verify 2048, one wrong", &self.one_wrong, Task::Verify),
        ];
        let row = |(what, claims, n, batch, task): (&str, &'c Claims, usize, usize, Task)| {
            let name = format!("{what}, {}", claims.suite);
            Row::new(name, n, backends, |backend| {
                claims.work(n, batch, task, backend)
            })
        };
        rows.into_iter().map(row).collect()
    }
}

/// Claims of one suite.
struct Claims {
    suite: Suite,
    secrets: Vec<SecretKey>,
    alphas: Vec<[u8; 32]>,
    proofs: Vec<Vec<u8>>,
    /// The outputs; `None` for invalid claims.
    outputs: Vec<Option<Output>>,
}

impl Claims {
    /// Makes `n` claims, which use `keys` different keys in turn.
    fn new(suite: Suite, n: usize, keys: usize) -> Self {
        let secret = |i: usize| {
            let mut seed = *b"klero bench, secret key no. ....";
            seed[24..].copy_from_slice(&(i as u64 % keys as u64).to_le_bytes());
            SecretKey::from_seed(suite, &seed)
        };
        let alpha = |i: usize| {
            let mut alpha = [0x5a; 32];
            alpha[..8].copy_from_slice(&(i as u64).to_be_bytes());
            alpha
        };
        let mut claims = Self {
            suite,
            secrets: (0..n).map(secret).collect(),
            alphas: (0..n).map(alpha).collect(),
            proofs: Vec::new(),
            outputs: Vec::new(),
        };
        let made = Prover::new().prove_many(&claims.requests(n));
        (claims.proofs, claims.outputs) = made
            .into_iter()
            .map(|(proof, output)| (proof.as_bytes().to_vec(), Some(output)))
            .unzip();
        claims
    }

    /// Flips a bit of `s` in the proof of claim number `wrong`.
    fn spoilt(mut self, wrong: usize) -> Self {
        self.outputs[wrong] = None;
        if let Some(byte) = self.proofs[wrong].iter_mut().nth_back(20) {
            *byte ^= 1;
        }
        self
    }

    fn len(&self) -> usize {
        self.alphas.len()
    }

    /// The first `n` secret keys and alphas.
    fn requests(&self, n: usize) -> Vec<(&SecretKey, &[u8])> {
        let alphas = self.alphas[..n].iter().map(|alpha| &alpha[..]);
        self.secrets.iter().zip(alphas).collect()
    }

    /// Returns the work of a backend. The work returns true if all its proofs and outputs equal the ones in
    /// `self`, and if it rejects exactly the wrong claims.
    fn work(&self, n: usize, batch: usize, task: Task, backend: Backend) -> Work<'_> {
        let verifier = Verifier::new(self.suite).backend(backend);
        let prover = Prover::new().backend(backend);
        match task {
            Task::Verify => self.verify(n, batch, verifier),
            Task::KeepKeys => self.verify(n, batch, verifier.keep_keys(KEYS)),
            Task::Prove => {
                let requests = self.requests(n);
                in_batches(n, batch, move |range| {
                    let made = prover.prove_many(&requests[range.clone()]);
                    let (proofs, outputs) = (&self.proofs[range.clone()], &self.outputs[range]);
                    made.iter().map(|(proof, _)| proof.as_bytes()).eq(proofs)
                        && made
                            .iter()
                            .map(|&(_, output)| Some(output))
                            .eq(outputs.iter().copied())
                })
            }
            Task::Evaluate => {
                let requests = self.requests(n);
                in_batches(n, batch, move |range| {
                    let outputs = prover.evaluate_many(&requests[range.clone()]);
                    let outputs = outputs.into_iter().map(Some);
                    outputs.eq(self.outputs[range].iter().copied())
                })
            }
        }
    }

    fn verify(&self, n: usize, batch: usize, verifier: Verifier) -> Work<'_> {
        let claim = |i: usize| {
            let key = self.secrets[i].public_key();
            Claim::new(key, &self.alphas[i], &self.proofs[i])
        };
        let claims: Vec<_> = (0..n).map(claim).collect();
        in_batches(n, batch, move |range| {
            let verdicts = verifier.verify_many(&claims[range.clone()]).verdicts;
            let outputs = verdicts.into_iter().map(Result::ok);
            outputs.eq(self.outputs[range].iter().copied())
        })
    }
}

/// Returns work that divides the numbers below `n` into ranges of `batch`, and calls `work` for each range.
fn in_batches<'c>(
    n: usize,
    batch: usize,
    mut work: impl FnMut(Range<usize>) -> bool + 'c,
) -> Work<'c> {
    Box::new(move || {
        let mut batches = (0..n)
            .step_by(batch)
            .map(|first| first..n.min(first + batch));
        batches.all(&mut work)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_work_is_seen() {
        let tasks = [Task::Verify, Task::KeepKeys, Task::Prove, Task::Evaluate];
        let is_right = |claims: &Claims| {
            tasks.map(|task| {
                [1, 3, 8].map(|batch| claims.work(8, batch, task, Backend::default())())
            })
        };
        let mut claims = Claims::new(Suite::RFC9381_ELL2_BC, 8, 8);
        assert_eq!(is_right(&claims), [[true; 3]; 4]);
        claims.outputs[7] = None;
        assert_eq!(is_right(&claims), [[false; 3]; 4]);
        let spoilt = claims.spoilt(7);
        assert_eq!(is_right(&spoilt)[..2], [[true; 3]; 2]);
        assert_eq!(is_right(&spoilt)[2..], [[false; 3]; 2]);
    }
}
