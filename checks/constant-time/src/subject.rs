//! What is checked: everything in the library that a secret key goes into.

use std::hint::black_box;

use klero::{Backend, Claim, Output, Proof, SecretKey, Suite, prove_many};

use crate::memcheck::{public, secret};

/// The seed of a key.
pub type Seed = [u8; 32];

/// The input of every proof; not secret.
pub const ALPHA: &[u8] = b"alpha";

/// The backend that `KLERO_BACKEND` names, made the default one of this process.
pub fn backend() -> anyhow::Result<Backend> {
    if let Ok(name) = std::env::var("KLERO_BACKEND") {
        name.parse::<Backend>()?.make_default();
    }
    Ok(Backend::default())
}

/// A seed for each number.
pub fn seed(number: u64) -> Seed {
    // A key's bytes are as good as random.
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    *SecretKey::from_seed(Suite::PRAOS, &seed)
        .public_key()
        .as_bytes()
}

/// Derives keys of a suite from secret seeds.
pub fn keys(suite: Suite, seeds: &[Seed]) -> Vec<SecretKey> {
    let seeds = black_box(seeds.to_vec());
    seeds.iter().for_each(secret);
    let keys: Vec<_> = seeds
        .iter()
        .map(|seed| SecretKey::from_seed(suite, seed))
        .collect();
    // A public key is for everyone to see, and how often try-and-increment tries
    // depends on it.
    keys.iter().for_each(|key| public(key.public_key()));
    keys
}

/// Proves with secret keys: one by `prove`, more by `prove_many`.
pub fn prove(keys: &[SecretKey]) -> Vec<(Proof, Output)> {
    let proofs = match keys {
        [key] => vec![key.prove(ALPHA)],
        _ => {
            let requests: Vec<_> = keys.iter().map(|key| (key, ALPHA)).collect();
            prove_many(&requests).expect("keys of one suite")
        }
    };
    // What proving is for: the world gets to see them.
    for (proof, output) in &proofs {
        public(proof);
        public(output);
    }
    proofs
}

/// Are these proofs of these keys? Variable time.
pub fn valid(keys: &[SecretKey], proofs: &[(Proof, Output)]) -> bool {
    keys.len() == proofs.len()
        && keys.iter().zip(proofs).all(|(key, (proof, output))| {
            let claim = Claim {
                key: key.public_key().as_bytes(),
                alpha: ALPHA,
                proof: proof.as_bytes(),
                output: Some(output.as_bytes()),
            };
            key.suite().verify(&claim) == Ok(*output)
        })
}

/// A function that does what none here may do, and what that is.
pub type Leak = (&'static str, fn(&Seed));

/// In the two ways there are; a method that does not find them finds nothing.
pub const LEAKS: [Leak; 2] = [
    ("a branch on a secret", branch),
    ("an address from a secret", address),
];

#[inline(never)]
fn branch(seed: &Seed) {
    secret(seed);
    // As a comparison that stops at the first difference.
    for byte in seed {
        if black_box(*byte) & 1 == 0 {
            break;
        }
    }
}

#[inline(never)]
fn address(seed: &Seed) {
    static TABLE: [u8; 256] = [7; 256];
    secret(seed);
    for byte in seed {
        black_box(black_box(&TABLE)[usize::from(*byte)]);
    }
}
