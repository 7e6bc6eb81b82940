//! The readable model as a peer.

#![allow(missing_docs)]

use std::ffi::CStr;

use klero_peer::{Claims, Peer};
use klero_reference::{Suite, prove, verify};

struct Model;

impl Peer for Model {
    fn name(&self) -> &CStr {
        c"reference"
    }

    fn verify(
        &self,
        suite: &str,
        key: &[u8; 32],
        alpha: &[u8],
        proof: &[u8],
        output: &mut [u8; 64],
    ) -> Option<bool> {
        let verdict = verify(Suite::named(suite)?, key, alpha, proof, None);
        *output = verdict.unwrap_or([0; 64]);
        Some(verdict.is_ok())
    }

    fn prove(
        &self,
        suite: &str,
        key: &[u8; 64],
        alpha: &[u8],
        proof: &mut [u8],
        output: &mut [u8; 64],
    ) -> Option<bool> {
        let (made, beta) = prove(Suite::named(suite)?, key.first_chunk()?, alpha);
        proof.copy_from_slice(&made);
        *output = beta;
        Some(true)
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
            valid &= self.verify(suite, key, alpha, proof, output)?;
        }
        Some(valid)
    }
}

klero_peer::export!(Model);
