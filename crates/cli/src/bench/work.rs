//! What is measured: claims that are the same in every run, and the work on them.

use std::ops::Range;

use klero::{Backend, Claim, Method, Output, Prover, SecretKey, Suite, Verifier};

use super::rounds::{Row, Work};

/// The number of proofs that are verified or made together.
const TOGETHER: usize = 1024;

/// The row of the usual work on Cardano's proofs.
pub const CARDANO: &str = "verify 1024, praos";

/// The number of calls in a sample of single calls: the time to read the clock must be short
/// against the sample.
const ALONE: usize = 32;

/// The number of keys where keys come back.
const KEYS: usize = 40;

/// The number of claims that one sum takes, which is where a wrong one costs most.
const SUMMED: usize = 2048;

/// Whether claim number `.0` of `.1` is wrong.
type IsWrong = fn(usize, usize) -> bool;

/// Mixtures of valid and wrong claims. One wrong claim alone costs most behind the middle, where
/// the search comes last.
const MIXTURES: [(&str, IsWrong); 4] = [
    ("none wrong", |_, _| false),
    ("one wrong", |i, n| i == n * 3 / 5),
    ("one in 45 wrong", |i, _| i % 45 == 22),
    ("all wrong", |_, _| true),
];

/// What is done with claims.
#[derive(Clone, Copy)]
enum Task {
    Verify(Method),
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
    mixtures: Vec<(&'static str, Claims)>,
}

impl Sets {
    /// Makes the claims.
    pub fn new() -> Self {
        let (short, long) = (Suite::PRAOS, Suite::RFC9381_ELL2_BC);
        let mixture = |(name, is_wrong): (_, IsWrong)| {
            (name, Claims::new(long, SUMMED, SUMMED).spoilt(is_wrong))
        };
        Self {
            short: Claims::new(short, TOGETHER, TOGETHER),
            long: Claims::new(long, TOGETHER, TOGETHER),
            few_keys: Claims::new(short, TOGETHER, KEYS),
            mixtures: MIXTURES.into_iter().map(mixture).collect(),
        }
    }

    /// The rows: the usual work first, then what depends on the claims.
    pub fn rows<'c>(&'c self, backends: &[Backend]) -> Vec<Row<'c>> {
        let (short, long, few_keys) = (&self.short, &self.long, &self.few_keys);
        let verify = Task::Verify(Method::Auto);
        let together = |what: &str, claims, task| (format!("{what} {TOGETHER}"), claims, task);
        let all = [
            together("verify", short, verify),
            together("verify", long, verify),
            together("prove", short, Task::Prove),
            together("evaluate", short, Task::Evaluate),
        ];
        let alone = [
            ("verify one alone", verify),
            ("prove one alone", Task::Prove),
            ("evaluate one alone", Task::Evaluate),
        ];
        let few = format!("verify {TOGETHER} of {KEYS} keys");
        let kept = format!("{few}, keys kept");
        let few = [(few, few_keys, verify), (kept, few_keys, Task::KeepKeys)];
        let wrong = self.mixtures.iter().flat_map(|(mixture, claims)| {
            let what = format!("verify {SUMMED}, {mixture}");
            let one_by_one = format!("{what}, one by one");
            [
                (what, claims, verify),
                (one_by_one, claims, Task::Verify(Method::OneByOne)),
            ]
        });
        let row = |(what, claims, task): (String, &'c Claims, _)| {
            claims.row(what, claims.len(), claims.len(), task, backends)
        };
        let mut rows: Vec<_> = all.into_iter().map(row).collect();
        rows.extend(alone.map(|(what, task)| short.row(what.into(), ALONE, 1, task, backends)));
        rows.extend(few.into_iter().chain(wrong).map(row));
        rows
    }
}

/// Claims of one suite.
struct Claims {
    suite: Suite,
    secrets: Vec<SecretKey>,
    alphas: Vec<[u8; 32]>,
    proofs: Vec<Vec<u8>>,
    /// The outputs, of valid claims alone.
    outputs: Vec<Option<Output>>,
}

impl Claims {
    /// Makes `n` claims, with this number of keys in turn.
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

    /// Flips a bit of s in the proofs that are to be wrong.
    fn spoilt(mut self, is_wrong: IsWrong) -> Self {
        let n = self.len();
        for i in (0..n).filter(|&i| is_wrong(i, n)) {
            self.outputs[i] = None;
            if let Some(byte) = self.proofs[i].iter_mut().nth_back(20) {
                *byte ^= 1;
            }
        }
        self
    }

    fn len(&self) -> usize {
        self.alphas.len()
    }

    /// The first `n` secret keys and inputs.
    fn requests(&self, n: usize) -> Vec<(&SecretKey, &[u8])> {
        let alphas = self.alphas[..n].iter().map(|alpha| &alpha[..]);
        self.secrets.iter().zip(alphas).collect()
    }

    /// A row: the task on the first `n` claims, `batch` in each call.
    fn row<'c>(
        &'c self,
        what: String,
        n: usize,
        batch: usize,
        task: Task,
        backends: &[Backend],
    ) -> Row<'c> {
        let name = format!("{what}, {}", self.suite);
        Row::new(name, n, backends, |backend| {
            self.work(n, batch, task, backend)
        })
    }

    /// The work of a backend. It is right if proofs and outputs are those of the claims, and
    /// exactly the wrong claims are found.
    fn work(&self, n: usize, batch: usize, task: Task, backend: Backend) -> Work<'_> {
        let verifier = Verifier::new(self.suite).backend(backend);
        let prover = Prover::new().backend(backend);
        match task {
            Task::Verify(method) => self.verify(n, batch, verifier.method(method)),
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

/// Work on all numbers below `n`, `batch` of them in each call.
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
        let tasks = [
            Task::Verify(Method::Auto),
            Task::Verify(Method::OneByOne),
            Task::KeepKeys,
            Task::Prove,
            Task::Evaluate,
        ];
        let is_right = |claims: &Claims| {
            tasks.map(|task| {
                [1, 3, 8].map(|batch| claims.work(8, batch, task, Backend::default())())
            })
        };
        let mut claims = Claims::new(Suite::RFC9381_ELL2_BC, 8, 8);
        assert_eq!(is_right(&claims), [[true; 3]; 5]);
        claims.outputs[7] = None;
        assert_eq!(is_right(&claims), [[false; 3]; 5]);
        let spoilt = claims.spoilt(|i, _| i == 7);
        let verified = [[true; 3]; 3];
        assert_eq!(is_right(&spoilt)[..3], verified);
        assert_eq!(is_right(&spoilt)[3..], [[false; 3]; 2]);
    }
}
