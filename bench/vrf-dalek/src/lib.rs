//! The published crate `amaru-vrf-dalek` behind the C ABI. It is built twice, since one program
//! cannot have the feature `batch_deterministic` both on and off.

use std::ffi::CStr;

use klero_peer::{Answer, Claims, Peer};
use vrf_dalek::vrf03::{PublicKey03, SecretKey03, VrfProof03};
use vrf_dalek::vrf10::{PublicKey10, SecretKey10, VrfProof10};
use vrf_dalek::vrf10_batchcompat::{BatchItem, BatchVerifier, VrfProof10BatchCompat};

klero_peer::export!(VrfDalek);

struct VrfDalek;

impl Peer for VrfDalek {
    fn name(&self) -> &CStr {
        if cfg!(feature = "deterministic") {
            c"vrf_dalek-deterministic"
        } else {
            c"vrf_dalek-random"
        }
    }

    fn verify(&self, suite: &str, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Answer {
        let verified = match suite {
            "praos" => VrfProof03::from_bytes(proof.try_into().ok()?)
                .and_then(|proof| proof.verify(&PublicKey03::from_bytes(key), alpha)),
            "draft10-tai" => VrfProof10::from_bytes(proof.try_into().ok()?)
                .and_then(|proof| proof.verify(&PublicKey10::from_bytes(key), alpha)),
            "draft10-tai-bc" => VrfProof10BatchCompat::from_bytes(proof.try_into().ok()?)
                .and_then(|proof| proof.verify(&PublicKey10::from_bytes(key), alpha)),
            _ => return None,
        };
        Some(verified.ok())
    }

    fn prove(&self, suite: &str, key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Answer {
        let (seed, key) = key.split_first_chunk::<32>()?;
        let key = key.first_chunk()?;
        let output = match suite {
            "praos" => {
                let (public, secret) =
                    (PublicKey03::from_bytes(key), SecretKey03::from_bytes(seed));
                let made = VrfProof03::generate(&public, &secret, alpha);
                proof.copy_from_slice(&made.to_bytes());
                made.proof_to_hash()
            }
            "draft10-tai" => {
                let (public, secret) =
                    (PublicKey10::from_bytes(key), SecretKey10::from_bytes(seed));
                let made = VrfProof10::generate(&public, &secret, alpha);
                proof.copy_from_slice(&made.to_bytes());
                // The crate does not return the output of this form.
                [0; 64]
            }
            "draft10-tai-bc" => {
                let (public, secret) =
                    (PublicKey10::from_bytes(key), SecretKey10::from_bytes(seed));
                let made = VrfProof10BatchCompat::generate(&public, &secret, alpha);
                proof.copy_from_slice(&made.to_bytes());
                made.proof_to_hash()
            }
            _ => return None,
        };
        Some(Some(output))
    }

    /// This crate takes the outputs and checks them, where others compute them.
    fn verify_batch(
        &self,
        suite: &str,
        claims: &Claims<'_>,
        outputs: &mut [[u8; 64]],
    ) -> Option<bool> {
        if suite != "draft10-tai-bc" {
            return None;
        }
        let mut batch = BatchVerifier::new(claims.keys.len());
        for (i, claimed) in outputs.iter().enumerate() {
            let Ok(proof) = VrfProof10BatchCompat::from_bytes(claims.proof(i).try_into().ok()?)
            else {
                return Some(false);
            };
            let item = BatchItem {
                proof,
                key: PublicKey10::from_bytes(&claims.keys[i]),
                msg: claims.alpha(i).to_vec(),
                output: *claimed,
            };
            if batch.insert(item).is_err() {
                return Some(false);
            }
        }
        Some(batch.verify().is_ok())
    }
}
