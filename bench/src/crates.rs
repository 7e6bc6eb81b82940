//! Published crates that implement a suite of Klero, so that they get the same bytes.
//!
//! A peer with a suite of its own begins in `others/`, and one that is not in Rust is a shared object for
//! `--plugin`. `MEASURED` in `facts.rs` records its version, README.md says who it is.

use std::ffi::CStr;
use std::hint::black_box;

use akd_core::ecvrf::{Output, VRFExpandedPrivateKey, VRFPrivateKey, VRFPublicKey};
use cardano_crypto::vrf::VrfDraft03;
use klero_peer::{Answer, Peer};
use sha2::Sha512;
use vrf_rfc9381::ec::edwards25519::{elligator2, tai};
use vrf_rfc9381::{Ciphersuite, Proof, Prover, Verifier};

type Verify = fn(&[u8; 32], &[u8], &[u8]) -> Option<[u8; 64]>;
type Prove = fn(&[u8; 64], &[u8], &mut [u8]) -> Option<[u8; 64]>;

/// A crate, and what it does in each suite that it has.
struct Published {
    name: &'static CStr,
    suites: &'static [(&'static str, Verify, Prove)],
}

const PUBLISHED: [Published; 3] = [
    Published {
        name: c"cardano-crypto",
        suites: &[("praos", cardano_verify, cardano_prove)],
    },
    Published {
        name: c"vrf-rfc9381",
        suites: &[
            (
                "rfc9381-tai",
                rfc_verify::<tai::EdVrfEdwards25519TaiPublicKey>,
                |key, alpha, proof| {
                    let suite = Ciphersuite::ECVRF_EDWARDS25519_SHA512_TAI;
                    rfc_prove::<tai::EdVrfEdwards25519TaiSecretKey>(key, alpha, proof, suite)
                },
            ),
            (
                "rfc9381-ell2",
                rfc_verify::<elligator2::EdVrfEdwards25519Ell2PublicKey>,
                |key, alpha, proof| {
                    type Secret = elligator2::EdVrfEdwards25519Ell2SecretKey;
                    let suite = Ciphersuite::ECVRF_EDWARDS25519_SHA512_ELL2;
                    rfc_prove::<Secret>(key, alpha, proof, suite)
                },
            ),
        ],
    },
    Published {
        name: c"akd_core",
        suites: &[("rfc9381-tai", akd_verify, akd_prove)],
    },
];

/// All of these crates.
pub fn peers() -> impl Iterator<Item = Box<dyn Peer>> {
    PUBLISHED
        .into_iter()
        .map(|of| -> Box<dyn Peer> { Box::new(of) })
}

impl Published {
    fn suite(&self, name: &str) -> Option<(Verify, Prove)> {
        let (_, verify, prove) = self.suites.iter().find(|suite| suite.0 == name)?;
        Some((*verify, *prove))
    }
}

impl Peer for Published {
    fn name(&self) -> &CStr {
        self.name
    }

    fn verify(&self, suite: &str, key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Answer {
        let (verify, _) = self.suite(suite)?;
        Some(verify(key, alpha, proof))
    }

    fn prove(&self, suite: &str, key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Answer {
        let (_, prove) = self.suite(suite)?;
        Some(prove(key, alpha, proof))
    }
}

fn cardano_verify(key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Option<[u8; 64]> {
    VrfDraft03::verify(key, proof.try_into().ok()?, alpha).ok()
}

fn cardano_prove(key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Option<[u8; 64]> {
    let made = VrfDraft03::prove(key, alpha).ok()?;
    proof.copy_from_slice(&made);
    VrfDraft03::proof_to_hash(&made).ok()
}

fn rfc_verify<V: Verifier<Sha512>>(key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Option<[u8; 64]> {
    let proof = V::Proof::decode_pi(proof).ok()?;
    let output = V::from_slice(key).ok()?.verify(alpha, proof).ok()?;
    output[..].try_into().ok()
}

fn rfc_prove<P: Prover<Sha512>>(
    key: &[u8; 64],
    alpha: &[u8],
    proof: &mut [u8],
    suite: Ciphersuite,
) -> Option<[u8; 64]> {
    let made = P::from_slice(&key[..32]).ok()?.prove(alpha).ok()?;
    proof.copy_from_slice(&made.encode_to_pi());
    made.proof_to_hash(suite).ok()?[..].try_into().ok()
}

/// This crate, of key transparency, makes outputs and does not show them.
const NOT_SHOWN: [u8; 64] = [0; 64];

fn akd_verify(key: &[u8; 32], alpha: &[u8], proof: &[u8]) -> Option<[u8; 64]> {
    let key = VRFPublicKey::try_from(&key[..]).ok()?;
    let proof = akd_core::ecvrf::Proof::try_from(proof).ok()?;
    key.verify(&proof, alpha).ok()?;
    black_box(Output::from(&proof));
    Some(NOT_SHOWN)
}

fn akd_prove(key: &[u8; 64], alpha: &[u8], proof: &mut [u8]) -> Option<[u8; 64]> {
    let secret = VRFPrivateKey::try_from(&key[..32]).ok()?;
    let public = VRFPublicKey::try_from(&key[32..]).ok()?;
    let made = VRFExpandedPrivateKey::from(&secret).prove(&public, alpha);
    black_box(Output::from(&made));
    proof.copy_from_slice(&made.to_bytes());
    Some(NOT_SHOWN)
}
