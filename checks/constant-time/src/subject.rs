//! What is checked: everything in the library that a secret key goes into, in parts.

use std::hint::black_box;

use klero::{Backend, Hash, HashToCurve, PublicKey, SecretKey, Suite, experimental, prove_many};
use klero_lanes::Point;
use sha2::{Digest, Sha512};

use crate::memcheck::{public, secret};

/// The seed of a key.
pub type Seed = [u8; 32];

/// A function that does what none here may do, and what that is.
pub type Leak = (&'static str, fn(&Seed));

/// In the two ways there are; a method that does not find them in a part finds nothing
/// there.
pub const LEAKS: [Leak; 2] = [
    ("a branch on a secret", branch),
    ("an address from a secret", address),
];

/// One suite for each way in which suites hash, to the curve and otherwise. What they do
/// with a secret differs in nothing else.
pub const FAMILIES: [Suite; 3] = [
    Suite::PRAOS,
    Suite::RFC9381_TAI,
    experimental::PRAOS_BLAKE2B,
];

/// Secrets that are compared.
const SECRETS: u64 = 24;

/// A secret key and what it proves.
#[derive(Clone, Copy)]
pub struct Prover {
    pub seed: Seed,
    alpha: [u8; 8],
}

/// What is done with secrets.
#[derive(Clone, Copy)]
pub enum Part {
    /// The key is derived from the seed.
    Derive(Suite),
    /// The same, and one proof is made.
    ProveOne(Suite),
    /// The same for as many keys as there are lanes, and one more.
    ProveMany(Suite),
    /// The multiplications, with scalars that no known seed gives.
    Multiply,
}

impl Part {
    /// All of them.
    pub fn all(suites: &[Suite]) -> Vec<Self> {
        let of_a_suite = [Self::Derive, Self::ProveOne, Self::ProveMany];
        let of_suites = suites
            .iter()
            .flat_map(|suite| of_a_suite.map(|part| part(*suite)));
        [Self::Multiply].into_iter().chain(of_suites).collect()
    }

    pub fn name(&self) -> String {
        match self {
            Self::Derive(suite) => format!("key derivation of {}", suite.name()),
            Self::ProveOne(suite) => format!("one proof of {}", suite.name()),
            Self::ProveMany(suite) => format!("many proofs of {}", suite.name()),
            Self::Multiply => "multiplications".to_owned(),
        }
    }

    /// Who takes part in each run: each secret once in every place.
    pub fn runs(&self, backend: Backend) -> Vec<Vec<Prover>> {
        let provers: Vec<_> = (0..SECRETS).map(|number| self.prover(number)).collect();
        let together = match self {
            Self::Derive(_) | Self::ProveOne(_) => 1,
            Self::ProveMany(_) | Self::Multiply => backend.lanes() + 1,
        };
        let from = |first: usize| provers.iter().cycle().skip(first).take(together).copied();
        (0..provers.len())
            .map(|first| from(first).collect())
            .collect()
    }

    /// How often try-and-increment tries may show: it depends on alpha and on the public
    /// key. So that this is the same for all, each has an alpha that does at once.
    fn prover(&self, number: u64) -> Prover {
        let seed = seed(number);
        let does = |alpha: &[u8; 8]| match self {
            Self::ProveOne(suite) | Self::ProveMany(suite)
                if suite.hash_to_curve() == HashToCurve::TryAndIncrement =>
            {
                assert_eq!(suite.hash(), Hash::Sha512);
                let key = SecretKey::from_seed(*suite, &seed);
                let hash = Sha512::new()
                    .chain_update([suite.octet(), 1])
                    .chain_update(key.public_key().as_bytes())
                    .chain_update(alpha)
                    .chain_update([0, 0])
                    .finalize();
                PublicKey::from_bytes(&hash[..32]).is_ok()
            }
            _ => true,
        };
        let alpha = (0u64..).map(u64::to_le_bytes).find(does);
        Prover {
            seed,
            alpha: alpha.expect("every other one does"),
        }
    }

    /// Does it, with a leak planted in it or with none.
    pub fn run(&self, provers: &[Prover], leak: Option<&Leak>) {
        let provers = black_box(provers.to_vec());
        let seeds: Vec<_> = provers.iter().map(|prover| prover.seed).collect();
        seeds.iter().for_each(secret);
        // Of many the last: every place is looked at.
        let last = &seeds[seeds.len() - 1];
        let (Self::Derive(suite) | Self::ProveOne(suite) | Self::ProveMany(suite)) = *self else {
            multiply(&seeds);
            return plant(leak, last);
        };
        let derive = |seed| SecretKey::from_seed(suite, seed);
        let keys: Vec<_> = seeds.iter().map(derive).collect();
        // A public key is for everyone to see.
        keys.iter().for_each(|key| public(key.public_key()));
        let proofs = match self {
            Self::ProveOne(_) => vec![keys[0].prove(&provers[0].alpha)],
            Self::ProveMany(_) => {
                let alphas = provers.iter().map(|prover| &prover.alpha[..]);
                let requests: Vec<_> = keys.iter().zip(alphas).collect();
                prove_many(&requests).expect("keys of one suite")
            }
            _ => vec![],
        };
        // What proving is for: the world gets to see them.
        for (proof, output) in &proofs {
            public(proof);
            public(output);
        }
        plant(leak, keys[keys.len() - 1].seed());
        black_box(proofs);
    }
}

fn plant(leak: Option<&Leak>, seed: &Seed) {
    if let Some((_, leak)) = leak {
        leak(seed);
    }
}

/// Multiplies by the seeds mod 2^252, so that edge bytes reach the digits.
fn multiply(seeds: &[Seed]) {
    let engine = klero_lanes::engine();
    let mut scalars = seeds.to_vec();
    for scalar in &mut scalars {
        scalar[31] &= 0x0f;
    }
    let reversed: Vec<_> = scalars.iter().rev().copied().collect();
    let points = vec![Point::BASE; seeds.len()];
    let mut out = [(); 3].map(|()| points.clone());
    let [by_x, by_k, base_by_k] = &mut out;
    engine.secret_mul_base(&scalars, base_by_k);
    engine.secret_mul_pair(&points, &scalars, &reversed, by_x, by_k);
    let [by_x, by_k, base_by_k] = [by_x, by_k, base_by_k].map(|out| &mut out[..1]);
    engine.secret_prove_alone(
        &points[..1],
        &scalars[..1],
        &reversed[..1],
        by_x,
        by_k,
        base_by_k,
    );
    black_box(out);
}

/// A seed for each number: those with edges first, then some that are as good as random.
pub fn seed(number: u64) -> Seed {
    const FILLED: [u8; 10] = [0, 0xff, 0x0f, 0xf0, 0x01, 0x10, 0x80, 0x08, 0x7f, 0x77];
    if let Some(byte) = FILLED.get(number as usize) {
        return [*byte; 32];
    }
    let mut seed = [0; 32];
    match number {
        10 => seed[0] = 1,
        11 => seed[31] = 0x08,
        12 => seed[31] = 0x80,
        13 => seed[..16].fill(0xff),
        14 => seed[16..].fill(0xff),
        _ => seed.copy_from_slice(&Sha512::digest(number.to_le_bytes())[..32]),
    }
    seed
}

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
