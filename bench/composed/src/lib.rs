//! ECVRF on curve25519-dalek 5 as a careful user of that crate would write it today: its fastest
//! public functions and shared inversions. The only own field arithmetic is the map of draft-03,
//! which dalek lacks.
//!
//! dalek chooses its backend by a build flag, so the benchmark builds this crate
//! once for each as a shared object and loads them all through the C ABI of `klero-peer`.

mod ecvrf;
mod elligator;
mod experiments;

use std::ffi::CStr;

use ecvrf::Suite;
use klero_peer::{Answer, Claims, Peer, Work};

klero_peer::export!(Composed);

/// The name of library and backend: `dalek5-ifma`, `dalek5-avx2` or `dalek5-serial`.
struct Composed;

impl Peer for Composed {
    fn name(&self) -> &CStr {
        if cfg!(curve25519_dalek_backend = "avx512") {
            c"dalek5-ifma"
        } else if cfg!(curve25519_dalek_backend = "simd") {
            c"dalek5-avx2"
        } else {
            c"dalek5-serial"
        }
    }

    fn verify(&self, suite: &str, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Answer {
        let suite = Suite::by_name(suite).filter(|suite| suite.proof_len == proof.len())?;
        Some(suite.verify(key, alpha, proof))
    }

    fn prove(&self, suite: &str, key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Answer {
        let suite = Suite::by_name(suite).filter(|suite| suite.proof_len == proof.len())?;
        Some(suite.prove(key, alpha, proof))
    }

    fn verify_batch(
        &self,
        suite: &str,
        claims: &Claims<'_>,
        outputs: &mut [[u8; 64]],
    ) -> Option<bool> {
        let suite = Suite::by_name(suite).filter(|suite| suite.proof_len == 128)?;
        Some(suite.verify_batch(claims, outputs))
    }

    fn experiment(&self, name: &str, suite: &str, claims: &Claims<'_>) -> Option<Work> {
        experiments::prepare(name, suite, claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims<'a>(keys: &'a [[u8; 32]], alphas: &'a [u8], proofs: &'a [u8]) -> Claims<'a> {
        Claims {
            keys,
            alphas,
            alpha_len: alphas.len() / keys.len(),
            proofs,
            proof_len: proofs.len() / keys.len(),
        }
    }

    /// The same proofs and outputs as Klero's, byte for byte, and the same verdicts.
    #[test]
    fn agrees_with_klero() {
        let mut known = 0;
        for suite in klero::Suite::ALL {
            let Some(peer) = Suite::by_name(suite.name()) else {
                continue;
            };
            known += 1;
            let (mut keys, mut alphas, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
            for i in 0..50u8 {
                let key = klero::SecretKey::from_seed(*suite, &[i; 32]);
                let alpha = [i; 20];
                let (expected, output) = key.prove(&alpha);
                let mut proof = vec![0; suite.proof_len()];
                let made = peer.prove(&key.to_libsodium(), &alpha, &mut proof);
                assert_eq!(
                    (proof.as_slice(), made),
                    (expected.as_bytes(), Some(output.0)),
                    "{}",
                    suite.name()
                );
                let pk = key.public_key().as_bytes();
                assert_eq!(peer.verify(pk, &alpha, &proof), Some(output.0));
                proof[50] ^= 1;
                assert_eq!(peer.verify(pk, &alpha, &proof), None);
                proof[50] ^= 1;
                keys.push(*key.public_key().as_bytes());
                alphas.extend(alpha);
                proofs.extend(proof);
            }
            for name in [
                "verif",
                "internal_mul",
                "single_multi",
                "steps",
                "steps 16",
                "hash_to_curve",
            ] {
                let mut work =
                    experiments::prepare(name, suite.name(), &claims(&keys, &alphas, &proofs))
                        .unwrap();
                assert!(work(), "{name}, {}", suite.name());
            }
            if suite.proof_len() == 128 {
                let mut outputs = [[0; 64]; 50];
                assert!(peer.verify_batch(&claims(&keys, &alphas, &proofs), &mut outputs));
                proofs[17 * 128 + 100] ^= 1;
                assert!(!peer.verify_batch(&claims(&keys, &alphas, &proofs), &mut outputs));
            }
        }
        assert_eq!(known, 11);
    }
}
