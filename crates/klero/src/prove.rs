//! Proving (RFC 9381, section 5.1): constant time in the secret key.
//!
//! The scalars x and k meet only constant-time multiplications; alpha and the
//! public key may show in the timing (try-and-increment takes as many hashes as
//! alpha needs).

use alloc::vec::Vec;

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use lanes::Point;
use zeroize::Zeroizing;

use crate::hash_to_curve::hash_to_curve;
use crate::key::SecretKey;
use crate::proof::{Output, Proof};
use crate::suite::Suite;
use crate::transcript;

impl Suite {
    /// Proves: the proof and the output beta for alpha. Deterministic.
    ///
    /// Constant time in the secret key for a given alpha.
    ///
    /// # Panics
    /// Never in practice: only if try-and-increment found no point for alpha in
    /// 256 tries, which has probability 2^-256.
    ///
    /// ```
    /// use klero::{Claim, RFC9381_ELL2, SecretKey};
    /// let key = SecretKey::from_seed(&[7; 32]);
    /// let (proof, output) = RFC9381_ELL2.prove(&key, b"alpha");
    /// let claim = Claim {
    ///     key: key.public_key().as_bytes(),
    ///     alpha: b"alpha",
    ///     proof: proof.as_bytes(),
    ///     output: Some(output.as_bytes()),
    /// };
    /// assert_eq!(RFC9381_ELL2.verify(&claim), Ok(output));
    /// ```
    pub fn prove(&self, key: &SecretKey, alpha: &[u8]) -> (Proof, Output) {
        let pk = key.public_key().as_bytes();
        let engine = lanes::engine();
        let points: Vec<Point> = hash_to_curve(engine, self, &[(pk, alpha)])
            .into_iter()
            .flatten()
            .collect();
        let mut h = [[0; 32]];
        engine.encode(&points, &mut h);
        let [h] = h;
        let h_point = CompressedEdwardsY(h)
            .decompress()
            .expect("one of 256 hashes is on the curve");
        let k = transcript::nonce(self, &key.prefix, &h);

        let gamma_point = h_point * key.x;
        let [gamma, u, v, cofactor_gamma] = EdwardsPoint::compress_batch(&[
            gamma_point,
            EdwardsPoint::mul_base(&k),
            h_point * *k,
            gamma_point.mul_by_cofactor(),
        ])
        .map(|encoded| encoded.to_bytes());

        let c = transcript::challenge(self, pk, [&h, &gamma, &u, &v]);
        let s = Zeroizing::new(*k + transcript::challenge_scalar(&c) * key.x);
        (
            Proof::new(self.proof_form, [&gamma, &u, &v], &c, s.as_bytes()),
            Output(transcript::output(self, &cofactor_gamma)),
        )
    }
}
