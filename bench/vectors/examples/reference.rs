//! The readable model as a peer.

#![allow(missing_docs)]

use std::ffi::CStr;

use klero_peer::{Answer, Claims, Peer};
use klero_reference::{Suite, prove, verify};

struct Model;

impl Peer for Model {
    fn name(&self) -> &CStr {
        c"reference"
    }

    fn verify(&self, suite: &str, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Answer {
        Some(verify(Suite::named(suite)?, key, alpha, proof, None).ok())
    }

    fn prove(&self, suite: &str, key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Answer {
        let (made, beta) = prove(Suite::named(suite)?, key.first_chunk()?, alpha);
        proof.copy_from_slice(&made);
        Some(Some(beta))
    }

    fn verify_batch(
        &self,
        suite: &str,
        claims: &Claims<'_>,
        outputs: &mut [[u8; 64]],
    ) -> Option<bool> {
        let mut valid = true;
        for (i, output) in outputs.iter_mut().enumerate() {
            let (key, alpha, proof) = (&claims.keys[i], claims.alpha(i), claims.proof(i));
            let proven = self.verify(suite, key, alpha, proof)?;
            *output = proven.unwrap_or([0; 64]);
            valid &= proven.is_some();
        }
        Some(valid)
    }
}

klero_peer::export!(Model);
