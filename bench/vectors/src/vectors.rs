//! The file of vectors, and what a peer does with one of its tests.

use klero_peer::{Claims, Peer};
use serde::Deserialize;

/// `vectors/ecvrf.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    suite: String,
    proof_length: usize,
    tests: Vec<Test>,
}

/// A claim and its verdict.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Test {
    pub tc_id: usize,
    pub comment: String,
    pub flags: Vec<String>,
    sk: Option<Bytes>,
    pk: Bytes,
    alpha: Bytes,
    pi: Bytes,
    beta: Option<Bytes>,
    pub result: Verdict,
}

/// The verdict that a test states.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Valid,
    Acceptable,
    Invalid,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Bytes(#[serde(with = "hex::serde")] Vec<u8>);

/// What a peer is asked to do with a test.
#[derive(Clone, Copy, PartialEq)]
pub enum Work {
    Verify,
    Batch,
    Prove,
}

/// What a peer did.
#[derive(Clone, Copy, PartialEq)]
pub enum Outcome {
    Agrees,
    Disagrees,
    /// The peer does not support the suite or the work, or the interface cannot express the test.
    NotRun,
}

/// A test and the group that it is of.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    group: &'a Group,
    pub test: &'a Test,
}

impl File {
    /// All tests, in order.
    pub fn items(&self) -> Vec<Item<'_>> {
        let groups = self.test_groups.iter();
        groups
            .flat_map(|group| group.tests.iter().map(move |test| Item { group, test }))
            .collect()
    }
}

impl<'a> Item<'a> {
    pub fn suite(&self) -> &'a str {
        &self.group.suite
    }

    /// Asks the peer, and compares.
    pub fn run(&self, peer: &dyn Peer, work: Work) -> Outcome {
        let agrees = match work {
            Work::Verify => self.verify(peer),
            Work::Batch => self.verify_batch(peer),
            Work::Prove => self.prove(peer),
        };
        match agrees {
            Some(true) => Outcome::Agrees,
            Some(false) => Outcome::Disagrees,
            None => Outcome::NotRun,
        }
    }

    fn verify(&self, peer: &dyn Peer) -> Option<bool> {
        let Test { pk, alpha, pi, .. } = self.test;
        let key = pk.0.as_slice().try_into().ok()?;
        let proven = peer.verify(self.suite(), key, &alpha.0, &pi.0)?;
        self.test.judge(proven.as_ref())
    }

    /// The claim in a batch, before up to three valid ones with alphas of the same length.
    fn verify_batch(&self, peer: &dyn Peer) -> Option<bool> {
        if self.test.pi.0.len() != 128 || self.group.proof_length != 128 {
            return None;
        }
        let alpha_len = self.test.alpha.0.len();
        let valid = |test: &&Test| test.result == Verdict::Valid && test.alpha.0.len() == alpha_len;
        let others = self.group.tests.iter().filter(valid).take(3);
        let tests: Vec<&Test> = [self.test].into_iter().chain(others).collect();
        let keys: Option<Vec<[u8; 32]>> = tests
            .iter()
            .map(|test| test.pk.0.as_slice().try_into().ok())
            .collect();
        let keys = keys?;
        let join = |field: fn(&Test) -> &Bytes| -> Vec<u8> {
            tests
                .iter()
                .flat_map(|test| field(test).0.clone())
                .collect()
        };
        let (alphas, proofs) = (join(|test| &test.alpha), join(|test| &test.pi));
        let claims = Claims {
            keys: &keys,
            alphas: &alphas,
            alpha_len,
            proofs: &proofs,
            proof_len: 128,
        };
        // A wrong output would stay where the peer does not compute it.
        let claimed = |test: &&Test| match (test.result, &test.beta) {
            (Verdict::Valid, Some(beta)) => beta.0.as_slice().try_into().unwrap_or([0; 64]),
            _ => [0; 64],
        };
        let mut outputs: Vec<[u8; 64]> = tests.iter().map(claimed).collect();
        let accepted = peer.verify_batch(self.suite(), &claims, &mut outputs)?;
        self.test.judge(accepted.then_some(&outputs[0]))
    }

    fn prove(&self, peer: &dyn Peer) -> Option<bool> {
        let seed = &self.test.sk.as_ref()?.0;
        let key = [&seed[..], &self.test.pk.0].concat();
        let mut proof = vec![0; self.group.proof_length];
        let key = key.as_slice().try_into().ok()?;
        let made = peer.prove(self.suite(), key, &self.test.alpha.0, &mut proof)?;
        let agrees = |output| proof == self.test.pi.0 && self.test.claims(&output);
        Some(made.is_some_and(agrees))
    }
}

impl Test {
    /// True if the peer, which proved this output or rejected the claim, is right; `None` if that cannot be
    /// known.
    fn judge(&self, proven: Option<&[u8; 64]>) -> Option<bool> {
        if proven == Some(&[0; 64]) && self.flags.iter().any(|flag| flag == "Output") {
            return None;
        }
        let agrees = proven.is_some_and(|output| self.claims(output));
        Some(match self.result {
            Verdict::Valid => agrees,
            Verdict::Acceptable => agrees || proven.is_none(),
            Verdict::Invalid => !agrees,
        })
    }

    /// Whether this is the output that is claimed. Zeros are from a peer that computes none.
    fn claims(&self, output: &[u8; 64]) -> bool {
        let beta = self.beta.as_ref();
        *output == [0; 64] || beta.is_none_or(|beta| beta.0 == output)
    }
}
