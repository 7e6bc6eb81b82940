//! `schnorrkel`: sr25519 over ristretto255.

use klero_measure::Row;
use klero_measure::ours::Claims;
use schnorrkel::vrf::{VRFPreOut, VRFProof, VRFProofBatchable, vrf_verify_batch};
use schnorrkel::{Keypair, MiniSecretKey, PublicKey, signing_context};

use super::{Encoded, add, proofs};

fn pair(seed: &[u8; 32]) -> Keypair {
    let secret = MiniSecretKey::from_bytes(seed).expect("32 bytes");
    secret.expand_to_keypair(MiniSecretKey::ED25519_MODE)
}

/// Adds it to the rows of single proofs.
pub fn alone<'c>(rows: [&mut Row<'c>; 2], claims: &'c Claims) {
    add(
        rows,
        "schnorrkel",
        claims,
        pair,
        |pair, alpha| {
            let (in_out, proof, _) = pair.vrf_sign(signing_context(b"bench").bytes(alpha));
            let output: [u8; 32] = in_out.make_bytes(b"output");
            std::hint::black_box(output);
            Encoded {
                key: pair.public.to_bytes().into(),
                output: in_out.to_preout().to_bytes().into(),
                proof: proof.to_bytes().into(),
            }
        },
        |encoded, alpha| {
            let key = PublicKey::from_bytes(&encoded.key).ok()?;
            let out = VRFPreOut::from_bytes(&encoded.output).ok()?;
            let proof = VRFProof::from_bytes(&encoded.proof).ok()?;
            let transcript = signing_context(b"bench").bytes(alpha);
            let (in_out, _) = key.vrf_verify(transcript, &out, &proof).ok()?;
            let output: [u8; 32] = in_out.make_bytes(b"output");
            std::hint::black_box(output);
            Some(())
        },
    );
}

/// Adds it to the row of a batch of `n`.
pub fn together<'c>(row: &mut Row<'c>, claims: &'c Claims, n: usize) {
    let alphas = &claims.alphas[..n];
    let proven = proofs(claims, n, |seed, alpha| {
        let pair = pair(&seed);
        let (in_out, _, proof) = pair.vrf_sign(signing_context(b"bench").bytes(alpha));
        Encoded {
            key: pair.public.to_bytes().into(),
            output: in_out.to_preout().to_bytes().into(),
            proof: proof.to_bytes().into(),
        }
    });
    row.add("schnorrkel", move || {
        let verified = || {
            let (mut keys, mut outs, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
            for encoded in &proven {
                keys.push(PublicKey::from_bytes(&encoded.key).ok()?);
                outs.push(VRFPreOut::from_bytes(&encoded.output).ok()?);
                proofs.push(VRFProofBatchable::from_bytes(&encoded.proof).ok()?);
            }
            let context = signing_context(b"bench");
            let transcripts = alphas.iter().map(|alpha| context.bytes(alpha));
            let in_outs = vrf_verify_batch(transcripts, &outs, &proofs, &keys).ok()?;
            for in_out in &in_outs {
                let output: [u8; 32] = in_out.make_bytes(b"output");
                std::hint::black_box(output);
            }
            Some(())
        };
        verified().is_some()
    });
}
