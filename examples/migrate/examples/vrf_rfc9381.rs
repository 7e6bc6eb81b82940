//! From `vrf-rfc9381` to Klero: RFC 9381 with Elligator2 or with try-and-increment.
//!
//! ```text
//! cargo run --release --example vrf_rfc9381
//! ```

use klero::{SecretKey, Suite};
use klero_migration::{bytes, compare_proofs, compare_verdicts};
use vrf_rfc9381::ec::edwards25519::tai::EdVrfEdwards25519Tai as Tai;
use vrf_rfc9381::{Proof as _, Prover as _, VRF, Verifier as _};

const TAI: Suite = Suite::RFC9381_TAI;

mod before {
    use vrf_rfc9381::ec::edwards25519::elligator2::{
        EdVrfEdwards25519Ell2PublicKey, EdVrfEdwards25519Ell2SecretKey,
    };
    use vrf_rfc9381::error::VrfResult;
    use vrf_rfc9381::{Ciphersuite, Proof, Prover, Verifier};

    const SUITE: Ciphersuite = Ciphersuite::ECVRF_EDWARDS25519_SHA512_ELL2;

    pub fn prove(seed: &[u8; 32], alpha: &[u8]) -> VrfResult<(Vec<u8>, Vec<u8>)> {
        let proof = EdVrfEdwards25519Ell2SecretKey::from_slice(seed)?.prove(alpha)?;
        Ok((proof.encode_to_pi(), proof.proof_to_hash(SUITE)?.to_vec()))
    }

    pub fn verify(key: &[u8], alpha: &[u8], proof: &[u8]) -> VrfResult<Vec<u8>> {
        let key = EdVrfEdwards25519Ell2PublicKey::from_slice(key)?;
        let proof = <EdVrfEdwards25519Ell2PublicKey as Verifier<_>>::Proof::decode_pi(proof)?;
        Ok(key.verify(alpha, proof)?.to_vec())
    }
}

mod now {
    use klero::{Invalid, Output, Proof, SecretKey, Suite};

    pub fn prove(seed: &[u8; 32], alpha: &[u8]) -> (Proof, Output) {
        SecretKey::from_seed(Suite::RFC9381_ELL2, seed).prove(alpha)
    }

    pub fn verify(key: &[u8], alpha: &[u8], proof: &[u8]) -> Result<Output, Invalid> {
        Suite::RFC9381_ELL2.verify(key, alpha, proof)
    }
}

fn main() {
    let before = |seed: &_, alpha: &_| bytes(before::prove(seed, alpha).expect("it can be proved"));
    let now = |seed: &_, alpha: &_| bytes(now::prove(seed, alpha));
    compare_proofs(Suite::RFC9381_ELL2, before, now);
    assert_ne!(
        compare_verdicts(Suite::RFC9381_ELL2, before::verify, now::verify),
        0
    );

    // Try-and-increment, by the trait `VRF` of the crate.
    let before = |seed: &[u8; 32], alpha: &[u8]| {
        let secret = <Tai as VRF>::Prover::from_slice(seed).expect("32 bytes");
        let proof = secret.prove(alpha).expect("it can be proved");
        let output = proof.proof_to_hash(Tai.ciphersuite());
        bytes((proof.encode_to_pi(), output.expect("a suite of the crate")))
    };
    let now = |seed: &_, alpha: &_| bytes(SecretKey::from_seed(TAI, seed).prove(alpha));
    compare_proofs(TAI, before, now);

    let before = |key: &[u8], alpha: &[u8], proof: &[u8]| {
        Tai.verify(&<Tai as VRF>::Verifier::from_slice(key)?, alpha, proof)
    };
    let now = |key: &[u8], alpha: &[u8], proof: &[u8]| TAI.verify(key, alpha, proof);
    assert_ne!(compare_verdicts(TAI, before, now), 0);
}

#[test]
fn both_give_the_same_bytes() {
    main();
}
