//! Shows why a secret key must be used in only one suite and never for signatures. In some suites, anyone can
//! compute the key from proofs of one alpha in two suites, or from a proof and an Ed25519 signature.

use curve25519_dalek::{EdwardsPoint, Scalar};
use ed25519_dalek::{Signer, SigningKey};
use klero::SecretKey;
use klero_reference::{self as reference, Form, Hash, SUITES, Suite};
use sha2::{Digest, Sha512};

const SEED: [u8; 32] = [7; 32];
const ALPHA: &[u8] = b"alpha";

/// The values that anyone knows from the proof of `ALPHA` in a suite.
struct Public {
    h: [u8; 32],
    c: Scalar,
    s: Scalar,
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap()
}

impl Public {
    fn of(key: &SecretKey, suite: &Suite) -> Self {
        let pk = key.public_key().as_bytes();
        let subject = suite.name.parse().unwrap();
        let (proof, _) = key.dangerously_reuse_in(subject).prove(ALPHA);
        let proof = proof.as_bytes();
        let h = reference::hash_to_curve(suite, pk, ALPHA).unwrap().encode();
        let c: [u8; 16] = match suite.form {
            Form::Bytes80 => array(&proof[32..48]),
            _ => {
                let [gamma, u, v] = [0, 32, 64].map(|at| array(&proof[at..at + 32]));
                reference::challenge(suite, pk, [h, gamma, u, v])
            }
        };
        let s = array(&proof[suite.proof_len() - 32..]);
        Self {
            h,
            c: Scalar::from(u128::from_le_bytes(c)),
            s: Scalar::from_canonical_bytes(s).unwrap(),
        }
    }
}

/// True if the two pairs (c, s) and (c', s') reveal the key x. They do if both were made with the same nonce
/// k: then s = k + c·x and s' = k + c'·x, so x = (s - s')/(c - c').
fn is_recovered(key: &SecretKey, [(c, s), (other_c, other_s)]: [(Scalar, Scalar); 2]) -> bool {
    let x = (s - other_s) * (c - other_c).invert();
    EdwardsPoint::mul_base(&x).compress().as_bytes() == key.public_key().as_bytes()
}

#[test]
fn proofs_of_one_alpha_in_two_suites_give_the_key_away() {
    let key = SecretKey::from_seed(klero::Suite::DRAFT10_TAI, &SEED);
    let mut dangerous = Vec::new();
    for (i, suite) in SUITES.iter().enumerate() {
        for other in &SUITES[i + 1..] {
            let [one, two] = [suite, other].map(|suite| Public::of(&key, suite));
            if is_recovered(&key, [(one.c, one.s), (two.c, two.s)]) {
                dangerous.push((suite.name, other.name));
            }
        }
    }
    assert_eq!(
        dangerous,
        [
            ("draft10-tai", "rfc9381-tai"),
            ("draft10-tai", "rfc9381-tai-bc"),
            ("draft10-tai-bc", "rfc9381-tai"),
            ("draft10-tai-bc", "rfc9381-tai-bc"),
        ]
    );
}

/// The nonce of an Ed25519 signature is a hash of the key's secret prefix and the message. In suites
/// with SHA-512, a proof's nonce is the same hash of H. So the proof and a signature of H share the nonce.
#[test]
fn a_proof_and_a_signature_give_the_key_away() {
    let key = SecretKey::from_seed(klero::Suite::PRAOS, &SEED);
    let signer = SigningKey::from_bytes(&SEED);
    let pk = key.public_key().as_bytes();
    assert_eq!(signer.verifying_key().as_bytes(), pk);
    for suite in &SUITES {
        let proof = Public::of(&key, suite);
        let signature = signer.sign(&proof.h);
        let digest = Sha512::new()
            .chain_update(signature.r_bytes())
            .chain_update(pk)
            .chain_update(proof.h);
        let c = Scalar::from_bytes_mod_order_wide(&digest.finalize().into());
        let s = Scalar::from_canonical_bytes(*signature.s_bytes()).unwrap();
        // Suites with BLAKE2b have different nonces.
        let shared = suite.hash == Hash::Sha512;
        let recovered = is_recovered(&key, [(proof.c, proof.s), (c, s)]);
        assert_eq!(recovered, shared, "{}", suite.name);
    }
}
