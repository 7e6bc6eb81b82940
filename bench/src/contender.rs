//! Peers as contenders: each does the work of a row, from bytes to bytes. Its results are checked
//! before it is timed.

use anyhow::{Result, ensure};
use klero_measure::ours::{ALPHA_LEN, Claims};
use klero_peer::Peer;

/// What a peer does with claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Verifies this number of claims one by one.
    Verify(usize),
    /// Verifies this number of claims in batches of the second number.
    Batch(usize, usize),
    /// Proves this number of claims one by one.
    Prove(usize),
}

/// Claims for the interface of peers.
pub fn as_bytes(claims: &Claims) -> klero_peer::Claims<'_> {
    klero_peer::Claims {
        keys: &claims.keys,
        alphas: claims.alphas.as_flattened(),
        alpha_len: ALPHA_LEN,
        proofs: &claims.proofs,
        proof_len: claims.suite.proof_len(),
    }
}

/// Does the work once. Returns whether all results are right, or `None` if the peer does not
/// support the suite or the work.
pub fn run(peer: &dyn Peer, claims: &Claims, work: Work) -> Option<bool> {
    let suite = claims.suite.name();
    let len = claims.suite.proof_len();
    // A peer without outputs leaves zeros.
    let agrees = |output: [u8; 64], i: usize| output == [0; 64] || output == claims.outputs[i];
    match work {
        Work::Verify(n) => (0..n).try_fold(true, |right, i| {
            let (key, alpha, proof) = (&claims.keys[i], &claims.alphas[i], claims.proof(i));
            let proven = peer.verify(suite, key, alpha, proof)?;
            Some(right && proven.is_some_and(|output| agrees(output, i)))
        }),
        Work::Prove(n) => (0..n).try_fold(true, |right, i| {
            let mut proof = [0; 128];
            let (key, alpha) = (&claims.secret_bytes[i], &claims.alphas[i]);
            let made = peer.prove(suite, key, alpha, &mut proof[..len])?;
            let same = proof[..len] == *claims.proof(i);
            Some(right && same && made.is_some_and(|output| agrees(output, i)))
        }),
        Work::Batch(n, size) => (0..n).step_by(size).try_fold(true, |right, first| {
            let last = n.min(first + size);
            let all = as_bytes(claims);
            let part = klero_peer::Claims {
                keys: &all.keys[first..last],
                alphas: &all.alphas[first * ALPHA_LEN..last * ALPHA_LEN],
                proofs: &all.proofs[first * len..last * len],
                ..all
            };
            let mut outputs = claims.outputs[first..last].to_vec();
            let valid = peer.verify_batch(suite, &part, &mut outputs)?;
            Some(right && valid && outputs == claims.outputs[first..last])
        }),
    }
}

/// Whether the peer supports the work. It is an error if the results are wrong: valid claims
/// must be accepted with their outputs, proofs must be equal byte for byte, and a claim with a
/// flipped bit must be rejected.
pub fn able(peer: &dyn Peer, claims: &mut Claims, work: Work) -> Result<bool> {
    let what = format!(
        "{}: {work:?}, {}",
        peer.name().to_string_lossy(),
        claims.suite.name()
    );
    let Some(right) = run(peer, claims, work) else {
        return Ok(false);
    };
    ensure!(right, "wrong about valid claims: {what}");
    if let Work::Verify(n) | Work::Batch(n, _) = work
        && n == claims.len()
    {
        claims.flip_a_bit();
        let right = run(peer, claims, work);
        claims.flip_a_bit();
        ensure!(right == Some(false), "accepts a flipped bit: {what}");
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use klero_peer::Answer;
    use std::ffi::CStr;

    /// A peer that supports one suite, and whose results the test chooses.
    struct Stub {
        verdict: fn(&[u8]) -> bool,
        output: u8,
    }

    impl Peer for Stub {
        fn name(&self) -> &CStr {
            c"stub"
        }

        fn verify(&self, suite: &str, _: &[u8; 32], _: &[u8], proof: &[u8]) -> Answer {
            (suite == "praos").then(|| (self.verdict)(proof).then_some([self.output; 64]))
        }

        fn prove(&self, _: &str, _: &[u8; 64], _: &[u8], _: &mut [u8]) -> Answer {
            Some(Some([0; 64]))
        }
    }

    #[test]
    fn wrong_results_are_detected() {
        let mut claims = Claims::new(klero::Suite::PRAOS, 3);
        let gullible = Stub {
            verdict: |_| true,
            output: 0,
        };
        let fault = |peer: &Stub, claims: &mut Claims, work| {
            able(peer, claims, work).unwrap_err().to_string()
        };
        let what = fault(&gullible, &mut claims, Work::Verify(3));
        assert!(what.starts_with("accepts a flipped bit: stub"), "{what}");
        let what = fault(&gullible, &mut claims, Work::Prove(3));
        assert!(what.starts_with("wrong about valid claims"), "{what}");
        let liar = Stub {
            output: 1,
            ..gullible
        };
        let what = fault(&liar, &mut claims, Work::Verify(3));
        assert!(what.starts_with("wrong about valid claims"), "{what}");
        let gullible = Stub { output: 0, ..liar };
        assert!(!able(&gullible, &mut claims, Work::Batch(3, 3)).unwrap());
        let mut others = Claims::new(klero::Suite::RFC9381_ELL2, 3);
        assert!(!able(&gullible, &mut others, Work::Verify(3)).unwrap());
    }
}
