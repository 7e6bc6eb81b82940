//! From the VRF of `akd_core` to Klero: RFC 9381 with try-and-increment.
//!
//! ```text
//! cargo run --release --example akd_core
//! ```

use klero::Suite;
use klero_migration::{bytes, compare_proofs, compare_verdicts};

mod before {
    use akd_core::NodeLabel;
    use akd_core::ecvrf::{
        HardCodedAkdVRF, Proof, VRFKeyStorage, VRFPrivateKey, VRFPublicKey, VrfError,
    };

    pub fn prove(seed: &[u8; 32], alpha: &[u8]) -> (Proof, NodeLabel) {
        let proof = VRFPrivateKey::try_from(&seed[..])
            .expect("32 bytes")
            .prove(alpha);
        (proof, label(proof))
    }

    pub fn verify(key: &[u8], alpha: &[u8], proof: &[u8]) -> Result<NodeLabel, VrfError> {
        let proof = Proof::try_from(proof)?;
        VRFPublicKey::try_from(key)?.verify(&proof, alpha)?;
        Ok(label(proof))
    }

    /// The place in the tree. Any key storage computes it.
    fn label(proof: Proof) -> NodeLabel {
        pollster::block_on(HardCodedAkdVRF.get_node_label_from_vrf_proof(proof))
    }
}

mod now {
    use akd_core::NodeLabel;
    use klero::{Invalid, Output, Proof, SecretKey, Suite};

    pub fn prove(seed: &[u8; 32], alpha: &[u8]) -> (Proof, NodeLabel) {
        let (proof, output) = SecretKey::from_seed(Suite::RFC9381_TAI, seed).prove(alpha);
        (proof, label(&output))
    }

    pub fn verify(key: &[u8], alpha: &[u8], proof: &[u8]) -> Result<NodeLabel, Invalid> {
        let output = Suite::RFC9381_TAI.verify(key, alpha, proof)?;
        Ok(label(&output))
    }

    /// The place in the tree: the first half of the output.
    fn label(output: &Output) -> NodeLabel {
        let half = output.as_bytes().first_chunk().expect("64 bytes");
        NodeLabel::new(*half, 256)
    }
}

fn main() {
    let before = |seed: &_, alpha: &_| {
        let (proof, label) = before::prove(seed, alpha);
        bytes((proof.to_bytes(), label.label_val))
    };
    let now = |seed: &_, alpha: &_| {
        let (proof, label) = now::prove(seed, alpha);
        bytes((proof, label.label_val))
    };
    compare_proofs(Suite::RFC9381_TAI, before, now);

    let before = |key: &[u8], alpha: &[u8], proof: &[u8]| {
        before::verify(key, alpha, proof).map(|label| label.label_val)
    };
    let now = |key: &[u8], alpha: &[u8], proof: &[u8]| {
        now::verify(key, alpha, proof).map(|label| label.label_val)
    };
    assert_ne!(compare_verdicts(Suite::RFC9381_TAI, before, now), 0);
}

#[test]
fn both_give_the_same_bytes() {
    main();
}
