//! Claims that own their bytes, each with its expected verdict.

use klero::{Claim, SecretKey};
use klero_reference::{self as reference, Invalid, Suite};

use super::compare::subject;
use super::oracle;
use super::rng::Rng;

/// The output of a valid claim, or the reason why the claim is invalid.
pub type Expected = Result<[u8; 64], Invalid>;

/// A claim that owns its bytes, and its expected verdict.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub key: Vec<u8>,
    pub alpha: Vec<u8>,
    pub proof: Vec<u8>,
    pub output: Option<Vec<u8>>,
    pub expected: Expected,
}

impl Case {
    /// A claim without an output, with the model's verdict.
    pub fn new(
        suite: &Suite,
        name: impl Into<String>,
        key: &[u8],
        alpha: &[u8],
        proof: &[u8],
    ) -> Self {
        Self {
            name: name.into(),
            key: key.to_vec(),
            alpha: alpha.to_vec(),
            proof: proof.to_vec(),
            output: None,
            expected: reference::verify(suite, key, alpha, proof, None),
        }
    }

    /// An honest claim made by the library, with its output.
    pub fn honest(key: &SecretKey, alpha: &[u8]) -> Self {
        let (proof, output) = key.prove(alpha);
        Self {
            name: "honest".to_owned(),
            key: key.public_key().as_bytes().to_vec(),
            alpha: alpha.to_vec(),
            proof: proof.as_bytes().to_vec(),
            output: Some(output.0.to_vec()),
            expected: Ok(output.0),
        }
    }

    /// An honest claim made by the model, with its output.
    pub fn honest_by_model(suite: &Suite, seed: &[u8; 32], alpha: &[u8]) -> Self {
        let (proof, output) = reference::prove(suite, seed, alpha);
        Self {
            name: "honest".to_owned(),
            key: reference::expand(seed).public.to_vec(),
            alpha: alpha.to_vec(),
            proof,
            output: Some(output.to_vec()),
            expected: Ok(output),
        }
    }

    /// The claim after a change, with the model's verdict.
    pub fn changed(
        &self,
        suite: &Suite,
        name: impl Into<String>,
        change: impl FnOnce(&mut Self),
    ) -> Self {
        let mut case = self.clone();
        change(&mut case);
        case.name = name.into();
        let output = case.output.as_deref();
        case.expected = reference::verify(suite, &case.key, &case.alpha, &case.proof, output);
        case
    }

    pub fn claim(&self) -> Claim<'_> {
        Claim {
            key: &self.key,
            alpha: &self.alpha,
            proof: &self.proof,
            output: self.output.as_deref(),
        }
    }
}

/// Returns honest claims with the keys of seven owners, so that keys repeat. Two of three claims contain
/// their output. Asserts that the oracle finds the claims valid.
pub fn honest(suite: &Suite, count: usize) -> Vec<Case> {
    let mut rng = Rng(count as u64);
    (0..count)
        .map(|index| {
            let key = SecretKey::from_seed(subject(suite), &owner(index % 7));
            let len = rng.below(100);
            let mut case = Case::honest(&key, &rng.bytes(len));
            if index % 3 == 0 {
                case.output = None;
            }
            assert_eq!(oracle::verify(suite, &case), case.expected, "{case:x?}");
            case
        })
        .collect()
}

/// The seed of a key owner. Some of the owners are attackers.
pub fn owner(index: usize) -> [u8; 32] {
    [index as u8; 32]
}

/// Changes one part of the claim at random. The claim may stay valid.
pub fn spoil(rng: &mut Rng, case: &mut Case) {
    let at = |rng: &mut Rng, bytes: &[u8]| rng.below(bytes.len());
    match rng.below(9) {
        0 | 1 => {
            let at = at(rng, &case.proof);
            rng.flip_a_bit(&mut case.proof, at);
        }
        2 => {
            let at = at(rng, &case.key);
            rng.flip_a_bit(&mut case.key, at);
        }
        3 => case.alpha.push(rng.next() as u8),
        4 => case.output = Some(rng.bytes(64)),
        5 => {
            let at = 16 * rng.below(case.proof.len() / 16);
            let bytes = rng.bytes(16);
            case.proof[at..at + 16].copy_from_slice(&bytes);
        }
        6 => case.proof = rng.bytes(case.proof.len()),
        7 => case.key = rng.bytes(32),
        _ => {
            let len = rng.below(200);
            case.proof.resize(len, 0);
        }
    }
}
