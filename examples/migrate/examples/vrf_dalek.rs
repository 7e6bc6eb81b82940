//! From `vrf_dalek` (published as `amaru-vrf-dalek`) to Klero: draft-03, as in Cardano headers,
//! and draft-10.
//!
//! ```text
//! cargo run --release --example vrf_dalek
//! ```

use std::error::Error;

use klero::{Invalid, SecretKey, Suite};
use klero_migration::{bytes, claim, compare_proofs, compare_verdicts};
use vrf_dalek::vrf10::{PublicKey10, SecretKey10, VrfProof10};
use vrf_dalek::vrf10_batchcompat::VrfProof10BatchCompat;

mod before {
    use std::error::Error;

    use vrf_dalek::vrf03::{PublicKey03, SecretKey03, VrfProof03};

    pub fn prove(seed: &[u8; 32], alpha: &[u8]) -> ([u8; 80], [u8; 64]) {
        let secret = SecretKey03::from_bytes(seed);
        let public = PublicKey03::from(&secret);
        let proof = VrfProof03::generate(&public, &secret, alpha);
        (proof.to_bytes(), proof.proof_to_hash())
    }

    pub fn verify(key: &[u8], alpha: &[u8], proof: &[u8]) -> Result<[u8; 64], Box<dyn Error>> {
        let key = PublicKey03::from_bytes(key.try_into()?);
        let proof = VrfProof03::from_bytes(proof.try_into()?)?;
        Ok(proof.verify(&key, alpha)?)
    }
}

mod now {
    use klero::{Invalid, Output, Proof, SecretKey, Suite};

    pub fn prove(seed: &[u8; 32], alpha: &[u8]) -> (Proof, Output) {
        SecretKey::from_seed(Suite::PRAOS, seed).prove(alpha)
    }

    pub fn verify(key: &[u8], alpha: &[u8], proof: &[u8]) -> Result<Output, Invalid> {
        Suite::PRAOS.verify(key, alpha, proof)
    }
}

mod before_batch {
    use vrf_dalek::errors::VrfError;
    use vrf_dalek::vrf10::PublicKey10;
    use vrf_dalek::vrf10_batchcompat::{BatchItem, BatchVerifier, VrfProof10BatchCompat};

    /// Key, alpha, proof and output of each claim.
    type Claim = ([u8; 32], Vec<u8>, [u8; 128], [u8; 64]);

    pub fn verify_all(claims: &[Claim]) -> Result<(), VrfError> {
        let mut batch = BatchVerifier::new(claims.len());
        for (key, alpha, proof, output) in claims {
            batch.insert(BatchItem {
                proof: VrfProof10BatchCompat::from_bytes(proof)?,
                key: PublicKey10::from_bytes(key),
                msg: alpha.clone(),
                output: *output,
            })?;
        }
        batch.verify()
    }
}

mod now_batch {
    use klero::{Claim, Suite, Verdict};

    pub fn verify_many(claims: &[Claim]) -> Vec<Verdict> {
        Suite::DRAFT10_TAI_BC.verify_many(claims)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let before = |seed: &_, alpha: &_| bytes(before::prove(seed, alpha));
    let now = |seed: &_, alpha: &_| bytes(now::prove(seed, alpha));
    compare_proofs(Suite::PRAOS, before, now);
    let reduced = compare_verdicts(Suite::PRAOS, before::verify, now::verify);
    assert_ne!(reduced, 0);

    // draft-10 differs in the names of the types.
    macro_rules! compare_draft10 {
        ($suite:expr, $proof:ty) => {
            let before = |seed: &_, alpha: &[u8]| {
                let secret = SecretKey10::from_bytes(seed);
                let public = PublicKey10::from(&secret);
                let proof = <$proof>::generate(&public, &secret, alpha);
                let output = proof.verify(&public, alpha).expect("the proof is valid");
                bytes((proof.to_bytes(), output))
            };
            let now = |seed: &_, alpha: &_| bytes(SecretKey::from_seed($suite, seed).prove(alpha));
            compare_proofs($suite, before, now);

            let before = |key: &[u8], alpha: &[u8], proof: &[u8]| {
                let key = PublicKey10::from_bytes(key.try_into()?);
                let proof = <$proof>::from_bytes(proof.try_into()?)?;
                Ok::<_, Box<dyn Error>>(proof.verify(&key, alpha)?)
            };
            let now = |key: &[u8], alpha: &[u8], proof: &[u8]| $suite.verify(key, alpha, proof);
            assert_eq!(compare_verdicts($suite, before, now), 0);
        };
    }
    compare_draft10!(Suite::DRAFT10_TAI, VrfProof10);
    compare_draft10!(Suite::DRAFT10_TAI_BC, VrfProof10BatchCompat);

    compare_batches()
}

/// A batch with one wrong claim: "no" before, a verdict on each claim now.
fn compare_batches() -> Result<(), Box<dyn Error>> {
    let key = SecretKey::generate(Suite::DRAFT10_TAI_BC)?;
    let mut claims: Vec<_> = (0..100_u32)
        .map(|i| {
            let alpha = i.to_le_bytes().to_vec();
            let (proof, output) = key.prove(&alpha);
            let proof = proof.as_bytes().try_into().expect("128 bytes");
            (
                *key.public_key().as_bytes(),
                alpha,
                proof,
                *output.as_bytes(),
            )
        })
        .collect();
    before_batch::verify_all(&claims)?;
    claims[7].1.push(0);
    let error = before_batch::verify_all(&claims).unwrap_err();
    println!("100 claims, one of them wrong; before: {error}");

    let claims: Vec<_> = claims
        .iter()
        .map(|(key, alpha, proof, output)| klero::Claim::new(key, alpha, proof).with_output(output))
        .collect();
    let verdicts = now_batch::verify_many(&claims);
    for (i, verdict) in verdicts.iter().enumerate() {
        match verdict {
            Ok(output) => assert_eq!(Some(&output.as_bytes()[..]), claims[i].output),
            Err(reason) => println!("now: claim {i}: {reason}"),
        }
    }
    assert!((0..100).all(|i| verdicts[i].is_ok() == (i != 7)));

    // A claim that the old crate refuses alone, and in every second batch accepts.
    let [key, alpha, proof] = claim(Suite::DRAFT10_TAI_BC, "U+T2");
    let old_key = PublicKey10::from_bytes(key[..].try_into()?);
    let old_proof = VrfProof10BatchCompat::from_bytes(proof[..].try_into()?)?;
    assert!(old_proof.verify(&old_key, &alpha).is_err());
    let output = old_proof.proof_to_hash();
    let old_claim = [(
        old_key.to_bytes(),
        alpha.clone(),
        proof[..].try_into()?,
        output,
    )];
    let accepted = (0..200)
        .filter(|_| before_batch::verify_all(&old_claim).is_ok())
        .count();
    println!("200 batches of one claim that is invalid; before: {accepted} are accepted");
    assert!(accepted != 0 && accepted != 200);
    let verdicts = now_batch::verify_many(&[klero::Claim::new(&key, &alpha, &proof); 1000]);
    assert_eq!(verdicts, [Err(Invalid::UMismatch); 1000]);
    Ok(())
}

#[test]
fn both_give_the_same_bytes() {
    main().unwrap();
}
