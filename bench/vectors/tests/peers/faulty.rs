//! A peer with a fault in each suite, which its test must find.

#![allow(missing_docs)]

use std::ffi::CStr;

use klero_peer::{Answer, Claims, Peer};
use klero_reference::curve::L;
use klero_reference::field::{bytes_le, int_le};
use klero_reference::{Rules, Suite, verify};

struct Faulty;

impl Peer for Faulty {
    fn name(&self) -> &CStr {
        c"faulty"
    }

    fn verify(&self, name: &str, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Answer {
        let suite = Suite::named(name)?;
        let mut proof = proof.to_vec();
        let verdict = match name {
            "praos" => {
                let rules = Rules::Rfc;
                verify(&Suite { rules, ..*suite }, key, alpha, &proof, None)
            }
            "draft13" => {
                if let Some(s) = proof.last_chunk_mut::<32>() {
                    *s = bytes_le(&(int_le(s) % &*L));
                }
                verify(suite, key, alpha, &proof, None)
            }
            "rfc9381-ell2" => {
                if proof.is_empty() {
                    std::process::abort();
                }
                verify(suite, key, alpha, &proof, None)
            }
            "rfc9381-tai" => {
                proof.truncate(80);
                verify(suite, key, alpha, &proof, None)
            }
            "draft10-tai" => {
                let mut verdict = verify(suite, key, alpha, &proof, None);
                if let Ok(output) = &mut verdict {
                    output[0] ^= 1;
                }
                verdict
            }
            _ => return None,
        };
        Some(verdict.ok())
    }

    fn prove(&self, _: &str, _: &[u8; 64], _: &[u8], _: &mut [u8]) -> Answer {
        None
    }

    /// Accepts what is valid under the rules of either family.
    fn verify_batch(&self, suite: &str, claims: &Claims<'_>, _: &mut [[u8; 64]]) -> Option<bool> {
        let suite = match suite {
            "draft13-bc" => Suite::named(suite)?,
            _ => return None,
        };
        let valid = |i: usize| {
            let rules = |rules| {
                let suite = &Suite { rules, ..*suite };
                verify(
                    suite,
                    &claims.keys[i],
                    claims.alpha(i),
                    claims.proof(i),
                    None,
                )
                .is_ok()
            };
            rules(Rules::Rfc) || rules(Rules::Cardano)
        };
        Some((0..claims.keys.len()).all(valid))
    }
}

klero_peer::export!(Faulty);
