//! Published crates that implement a suite of Klero, so that they get the same bytes.

use std::ffi::CStr;
use std::hint::black_box;

use akd_core::ecvrf::{Output, VRFExpandedPrivateKey, VRFPrivateKey, VRFPublicKey};
use cardano_crypto::vrf::VrfDraft03;
use klero_peer::Peer;
use sha2::Sha512;
use vrf_rfc9381::ec::edwards25519::{elligator2, tai};
use vrf_rfc9381::{Ciphersuite, Proof, Prover, Verifier};

/// All of these crates.
pub fn peers() -> Vec<Box<dyn Peer>> {
    vec![Box::new(CardanoCrypto), Box::new(VrfRfc9381), Box::new(Akd)]
}

/// The crate `cardano-crypto`.
struct CardanoCrypto;

impl Peer for CardanoCrypto {
    fn name(&self) -> &CStr {
        c"cardano-crypto"
    }

    fn verify(
        &self,
        suite: &str,
        key: &[u8; 32],
        alpha: &[u8],
        proof: &[u8],
        output: &mut [u8; 64],
    ) -> Option<bool> {
        if suite != "praos" {
            return None;
        }
        let verified = VrfDraft03::verify(key, proof.try_into().ok()?, alpha);
        if let Ok(proven) = &verified {
            *output = *proven;
        }
        Some(verified.is_ok())
    }

    fn prove(
        &self,
        suite: &str,
        key: &[u8; 64],
        alpha: &[u8],
        proof: &mut [u8],
        output: &mut [u8; 64],
    ) -> Option<bool> {
        if suite != "praos" {
            return None;
        }
        let Ok(made) = VrfDraft03::prove(key, alpha) else {
            return Some(false);
        };
        proof.copy_from_slice(&made);
        let proven = VrfDraft03::proof_to_hash(&made);
        if let Ok(proven) = &proven {
            *output = *proven;
        }
        Some(proven.is_ok())
    }
}

/// The crate `vrf-rfc9381`.
struct VrfRfc9381;

fn rfc_verify<V: Verifier<Sha512>>(
    key: &[u8; 32],
    alpha: &[u8],
    proof: &[u8],
    output: &mut [u8; 64],
) -> bool {
    let verified =
        V::from_slice(key).and_then(|key| key.verify(alpha, V::Proof::decode_pi(proof)?));
    if let Ok(proven) = &verified {
        output.copy_from_slice(proven);
    }
    verified.is_ok()
}

fn rfc_prove<P: Prover<Sha512>>(
    key: &[u8; 64],
    alpha: &[u8],
    proof: &mut [u8],
    output: &mut [u8; 64],
    suite: Ciphersuite,
) -> Option<()> {
    let made = P::from_slice(&key[..32]).ok()?.prove(alpha).ok()?;
    proof.copy_from_slice(&made.encode_to_pi());
    output.copy_from_slice(&made.proof_to_hash(suite).ok()?);
    Some(())
}

impl Peer for VrfRfc9381 {
    fn name(&self) -> &CStr {
        c"vrf-rfc9381"
    }

    fn verify(
        &self,
        suite: &str,
        key: &[u8; 32],
        alpha: &[u8],
        proof: &[u8],
        output: &mut [u8; 64],
    ) -> Option<bool> {
        Some(match suite {
            "rfc9381-tai" => {
                rfc_verify::<tai::EdVrfEdwards25519TaiPublicKey>(key, alpha, proof, output)
            }
            "rfc9381-ell2" => {
                rfc_verify::<elligator2::EdVrfEdwards25519Ell2PublicKey>(key, alpha, proof, output)
            }
            _ => return None,
        })
    }

    fn prove(
        &self,
        suite: &str,
        key: &[u8; 64],
        alpha: &[u8],
        proof: &mut [u8],
        output: &mut [u8; 64],
    ) -> Option<bool> {
        let made = match suite {
            "rfc9381-tai" => rfc_prove::<tai::EdVrfEdwards25519TaiSecretKey>(
                key,
                alpha,
                proof,
                output,
                Ciphersuite::ECVRF_EDWARDS25519_SHA512_TAI,
            ),
            "rfc9381-ell2" => rfc_prove::<elligator2::EdVrfEdwards25519Ell2SecretKey>(
                key,
                alpha,
                proof,
                output,
                Ciphersuite::ECVRF_EDWARDS25519_SHA512_ELL2,
            ),
            _ => return None,
        };
        Some(made.is_some())
    }
}

/// The crate `akd_core`, of key transparency. It makes outputs and does not show them.
struct Akd;

impl Peer for Akd {
    fn name(&self) -> &CStr {
        c"akd_core"
    }

    fn verify(
        &self,
        suite: &str,
        key: &[u8; 32],
        alpha: &[u8],
        proof: &[u8],
        _output: &mut [u8; 64],
    ) -> Option<bool> {
        if suite != "rfc9381-tai" {
            return None;
        }
        let verified = || {
            let key = VRFPublicKey::try_from(&key[..]).ok()?;
            let proof = akd_core::ecvrf::Proof::try_from(proof).ok()?;
            key.verify(&proof, alpha).ok()?;
            black_box(Output::from(&proof));
            Some(())
        };
        Some(verified().is_some())
    }

    fn prove(
        &self,
        suite: &str,
        key: &[u8; 64],
        alpha: &[u8],
        proof: &mut [u8],
        _output: &mut [u8; 64],
    ) -> Option<bool> {
        if suite != "rfc9381-tai" {
            return None;
        }
        let (Ok(secret), Ok(public)) = (
            VRFPrivateKey::try_from(&key[..32]),
            VRFPublicKey::try_from(&key[32..]),
        ) else {
            return Some(false);
        };
        let made = VRFExpandedPrivateKey::from(&secret).prove(&public, alpha);
        black_box(Output::from(&made));
        proof.copy_from_slice(&made.to_bytes());
        Some(true)
    }
}
