//! `fastcrypto`: the VRF of Sui, over ristretto255.

use fastcrypto::vrf::ecvrf::{ECVRFKeyPair, ECVRFPrivateKey, ECVRFProof, ECVRFPublicKey};
use fastcrypto::vrf::{VRFKeyPair, VRFProof};
use klero_measure::Row;
use klero_measure::ours::Claims;

use super::{Encoded, add};

/// Adds it to the rows of single proofs.
pub fn alone<'c>(rows: [&mut Row<'c>; 2], claims: &'c Claims) {
    add(
        rows,
        "fastcrypto",
        claims,
        |seed| {
            let secret: ECVRFPrivateKey = bcs::from_bytes(seed).expect("a scalar below the order");
            ECVRFKeyPair::from(secret)
        },
        |pair, alpha| {
            let proof = pair.prove(alpha);
            std::hint::black_box(proof.to_hash());
            Encoded {
                key: bcs::to_bytes(&pair.pk).unwrap_or_default(),
                output: Vec::new(),
                proof: bcs::to_bytes(&proof).unwrap_or_default(),
            }
        },
        |encoded, alpha| {
            let key: ECVRFPublicKey = bcs::from_bytes(&encoded.key).ok()?;
            let proof: ECVRFProof = bcs::from_bytes(&encoded.proof).ok()?;
            proof.verify(alpha, &key).ok()?;
            std::hint::black_box(proof.to_hash());
            Some(())
        },
    );
}
