//! Claims to measure with: valid, and the same in every run.

use std::ops::Range;

use klero::{Claim, Prover, SecretKey, Suite};

/// The length of every alpha in bytes, as in a Cardano header.
pub const ALPHA_LEN: usize = 32;

/// Claims of a suite, in the forms that contenders take: bytes, and Klero's expanded secret keys.
#[derive(Debug)]
pub struct Claims {
    /// The suite.
    pub suite: Suite,
    /// Public keys.
    pub keys: Vec<[u8; 32]>,
    /// `seed ‖ public key`.
    pub secret_bytes: Vec<[u8; 64]>,
    /// The same keys, expanded.
    pub secrets: Vec<SecretKey>,
    /// The inputs.
    pub alphas: Vec<[u8; ALPHA_LEN]>,
    /// The proofs, concatenated.
    pub proofs: Vec<u8>,
    /// The outputs.
    pub outputs: Vec<[u8; 64]>,
}

impl Claims {
    /// Makes `n` claims of a suite, each with its own key.
    ///
    /// ```
    /// let claims = klero_measure::ours::Claims::new(klero::Suite::PRAOS, 3);
    /// assert!(klero::Verifier::new(klero::Suite::PRAOS).verify(&claims.claim(2)).is_ok());
    /// ```
    pub fn new(suite: Suite, n: usize) -> Self {
        Self::of_keys(suite, n, n)
    }

    /// Makes `n` claims of a suite, with this number of keys in turn.
    pub fn of_keys(suite: Suite, n: usize, keys: usize) -> Self {
        let secrets: Vec<_> = (0..n)
            .map(|i| {
                let i = (i % keys.max(1)) as u64;
                let mut seed = *b"klero bench, secret key no. ....";
                seed[24..].copy_from_slice(&i.to_le_bytes());
                SecretKey::from_seed(suite, &seed)
            })
            .collect();
        let alphas: Vec<_> = (0..n as u64)
            .map(|i| {
                let mut alpha = [0x5a; ALPHA_LEN];
                alpha[..8].copy_from_slice(&i.to_be_bytes());
                alpha
            })
            .collect();
        let mut claims = Self {
            suite,
            keys: secrets.iter().map(|k| *k.public_key().as_bytes()).collect(),
            secret_bytes: secrets.iter().map(|key| *key.to_libsodium()).collect(),
            secrets,
            alphas,
            proofs: Vec::new(),
            outputs: Vec::new(),
        };
        let made = Prover::new().prove_many(&claims.requests(0..n));
        let proofs = made.iter().flat_map(|(proof, _)| proof.as_bytes());
        claims.proofs = proofs.copied().collect();
        claims.outputs = made.iter().map(|(_, output)| output.0).collect();
        claims
    }

    /// The number of claims.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no claims.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The proof of claim `i`.
    pub fn proof(&self, i: usize) -> &[u8] {
        &self.proofs[i * self.suite.proof_len()..][..self.suite.proof_len()]
    }

    /// Claim `i`, without an output.
    pub fn claim(&self, i: usize) -> Claim<'_> {
        Claim {
            key: &self.keys[i],
            alpha: &self.alphas[i],
            proof: self.proof(i),
            output: None,
        }
    }

    /// The secret key and alpha of these claims, as proving and evaluating take them.
    pub fn requests(&self, claims: Range<usize>) -> Vec<(&SecretKey, &[u8])> {
        let alphas = self.alphas[claims.clone()].iter().map(|alpha| &alpha[..]);
        self.secrets[claims].iter().zip(alphas).collect()
    }

    /// Flips a bit of s in the last proof, which makes the proof invalid, or valid again.
    pub fn flip_a_bit(&mut self) {
        if let Some(byte) = self.proofs.iter_mut().nth_back(20) {
            *byte ^= 1;
        }
    }
}
