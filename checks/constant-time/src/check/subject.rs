//! What is checked: everything in the libraries that takes a secret, in parts.

use std::hint::black_box;

use curve25519_dalek::scalar::Scalar;
use klero::{Backend, PublicKey, SecretKey, Suite, experimental};
use klero_lanes::Point;
use sha2::{Digest, Sha512};

use super::path::{SecretPath, Seed};
use super::valgrind::{public, secret};
use super::{texts, tokens};

/// What a planted leak is, and a function that leaks the seed that way.
pub type Leak = (&'static str, fn(&Seed));

/// The leak that takes time.
pub const BRANCH: Leak = ("a branch on a secret", branch);

/// One leak of each kind. A method that does not find them in a part cannot find others
/// there.
pub const LEAKS: [Leak; 2] = [BRANCH, ("an address from a secret", address)];

/// One suite for each way in which suites hash, to the curve and otherwise. What they do
/// with a secret differs in nothing else.
pub const FAMILIES: [Suite; 3] = [
    Suite::PRAOS,
    Suite::RFC9381_TAI,
    experimental::PRAOS_BLAKE2B,
];

/// The number of secrets that are compared.
const SECRETS: u64 = 24;

/// The same for one proof, and for what valgrind cannot follow: a leak that few secrets show is found
/// with more of them.
const MANY_SECRETS: u64 = 128;

/// The variable from which the secrets that are no edge cases are hashed.
pub const VARIABLE: &str = "KLERO_SECRETS";

/// The seed of a secret key, and the alpha that it proves.
#[derive(Clone, Copy)]
pub struct Prover {
    pub seed: Seed,
    pub alpha: [u8; 8],
}

/// Work on secrets.
pub enum Part {
    /// The multiplications alone, also by scalars that are not derived from a known seed.
    Multiply,
    /// Keys of a suite are derived from seeds, and used.
    Keys(Suite, Use),
    /// One secret on another path.
    Path(SecretPath),
}

/// What derived keys are used for. "Many" are one more than the backend has lanes.
#[derive(Clone, Copy)]
pub enum Use {
    Nothing,
    OneProof,
    /// Verifies its proofs, in variable time, as soon as they are made and so public.
    OneCheckedProof,
    ManyProofs,
    OneOutput,
    ManyOutputs,
}

/// All uses, in their order.
const USES: [(Use, &str); 6] = [
    (Use::Nothing, "key derivation"),
    (Use::OneProof, "one proof"),
    (Use::OneCheckedProof, "one checked proof"),
    (Use::ManyProofs, "many proofs"),
    (Use::OneOutput, "one evaluation"),
    (Use::ManyOutputs, "many evaluations"),
];

impl Part {
    /// All parts.
    pub fn all(suites: &[Suite]) -> Vec<Self> {
        let of_suite = |suite: &Suite| USES.map(|(use_, _)| Self::Keys(*suite, use_));
        let of_suites = suites.iter().flat_map(of_suite);
        let paths = [tokens::paths(), texts::paths()].concat();
        [Self::Multiply]
            .into_iter()
            .chain(of_suites)
            .chain(paths.into_iter().map(Self::Path))
            .collect()
    }

    /// The name without that of the suite, scheme or form.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Multiply => "multiplications",
            Self::Keys(_, use_) => USES[*use_ as usize].1,
            Self::Path(path) => path.name,
        }
    }

    pub fn name(&self) -> String {
        let of = match self {
            Self::Multiply => "edwards25519",
            Self::Keys(suite, _) => suite.name(),
            Self::Path(path) => path.of,
        };
        format!("{} of {of}", self.kind())
    }

    /// The trace cannot follow a part that goes on with public results: they differ from run to run.
    pub fn is_for_the_trace(&self) -> bool {
        !matches!(self, Self::Keys(_, Use::OneCheckedProof))
    }

    /// The provers of each run; every secret is once in every place.
    pub fn runs(&self, backend: Backend) -> Vec<Vec<Prover>> {
        let secrets = match self {
            Self::Keys(_, Use::OneProof) => MANY_SECRETS,
            Self::Path(path) if path.verdicts.is_none() => MANY_SECRETS,
            Self::Multiply => SECRETS + edges().len() as u64,
            _ => SECRETS,
        };
        let provers: Vec<_> = (0..secrets).map(|number| self.prover(number)).collect();
        let together = match self {
            Self::Keys(_, Use::ManyProofs | Use::ManyOutputs) | Self::Multiply => {
                backend.lanes() + 1
            }
            Self::Keys(..) | Self::Path(_) => 1,
        };
        let from = |first| provers.iter().cycle().skip(first).take(together).copied();
        (0..provers.len())
            .map(|first| from(first).collect())
            .collect()
    }

    /// The number of hashes that try-and-increment takes may show: it depends on alpha and on
    /// the public key. Each prover has an alpha that takes one hash, so that all runs are
    /// alike.
    fn prover(&self, number: u64) -> Prover {
        let seed = match self {
            Self::Multiply => scalar(number),
            _ => seed(number),
        };
        let takes_one_hash = |alpha: &[u8; 8]| match self {
            Self::Keys(suite, _) if suite.hash_to_curve() == "try and increment" => {
                assert_eq!(suite.hash(), "SHA-512");
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
        let alpha = (0u64..).map(u64::to_le_bytes).find(takes_one_hash);
        Prover {
            seed,
            alpha: alpha.expect("every other alpha takes one hash"),
        }
    }

    /// Runs the part, with a leak planted in it or with none.
    pub fn run(&self, provers: &[Prover], leak: Option<&Leak>) {
        let provers = black_box(provers.to_vec());
        let seeds: Vec<_> = provers.iter().map(|prover| prover.seed).collect();
        seeds.iter().for_each(secret);
        // The leak takes the last secret, so a method that looks only at the first fails.
        let last = &seeds[seeds.len() - 1];
        let (suite, use_) = match self {
            Self::Keys(suite, use_) => (*suite, *use_),
            Self::Multiply => {
                multiply(&seeds);
                return plant(leak, last);
            }
            Self::Path(path) => {
                (path.run)(last);
                return plant(leak, last);
            }
        };
        let derive = |seed| SecretKey::from_seed(suite, seed);
        let keys: Vec<_> = seeds.iter().map(derive).collect();
        keys.iter().for_each(|key| public(key.public_key()));
        let alphas = provers.iter().map(|prover| &prover.alpha[..]);
        let requests: Vec<_> = keys.iter().zip(alphas).collect();
        let (key, alpha) = requests[0];
        // Proofs and outputs are public once they are made.
        match use_ {
            Use::Nothing => (),
            Use::OneProof => public(black_box(&key.prove(alpha))),
            Use::OneCheckedProof => {
                let proof = black_box(key.prove_checked(alpha));
                public(&proof);
                proof.expect("no fault");
            }
            Use::ManyProofs => {
                let proofs = klero::Prover::new().prove_many(&requests);
                public(black_box(&proofs[..]));
            }
            Use::OneOutput => public(black_box(&key.evaluate(alpha))),
            Use::ManyOutputs => {
                let outputs = klero::Prover::new().evaluate_many(&requests);
                public(black_box(&outputs[..]));
            }
        }
        plant(leak, keys[keys.len() - 1].seed());
    }
}

fn plant(leak: Option<&Leak>, seed: &Seed) {
    if let Some((_, leak)) = leak {
        leak(seed);
    }
}

/// Multiplies points by scalars, which are also the x and k of responses s = k + c·x.
fn multiply(scalars: &[Seed]) {
    let engine = klero_lanes::engine();
    let reversed: Vec<_> = scalars.iter().rev().copied().collect();
    for (x, k) in scalars.iter().zip(&reversed) {
        let mut s = Scalar::from(u128::MAX);
        s *= reduced(x);
        s += reduced(k);
        black_box(s);
    }
    let points = vec![Point::BASE; scalars.len()];
    let mut out = [(); 3].map(|()| points.clone());
    let [by_x, by_k, base_by_k] = &mut out;
    engine.secret_mul_base(scalars, base_by_k);
    engine.secret_mul_pair(&points, scalars, &reversed, by_x, by_k);
    engine.secret_mul(&points, scalars, by_x);
    engine.secret_mul_alone(&points, scalars, by_k);
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

/// As keys and nonces are reduced modulo L.
fn reduced(bytes: &Seed) -> Scalar {
    let mut wide = [0; 64];
    wide[..32].copy_from_slice(bytes);
    Scalar::from_bytes_mod_order_wide(&wide)
}

/// A scalar below L for each number: seeds modulo 2^252, so that their edge bytes reach the digits, then
/// edge cases.
fn scalar(number: u64) -> Seed {
    match number.checked_sub(SECRETS) {
        Some(edge) => edges()[edge as usize],
        None => {
            let mut scalar = seed(number);
            scalar[31] &= 0x0f;
            scalar
        }
    }
}

/// L-1, L-2, (L+1)/2, (L-1)/2, and 2^252, the highest bit of a scalar below L.
fn edges() -> [Seed; 5] {
    let half = Scalar::from(2u8).invert();
    let mut power = [0; 32];
    power[31] = 0x10;
    let [a, b, c, d] =
        [-Scalar::ONE, -Scalar::from(2u8), half, -half].map(|scalar| scalar.to_bytes());
    [a, b, c, d, power]
}

/// A seed for each number: edge cases first, then hashes of the variable, which differs from run to
/// run.
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
        _ => {
            let drawn = std::env::var(VARIABLE).unwrap_or_default();
            let hash = Sha512::new()
                .chain_update(number.to_le_bytes())
                .chain_update(drawn);
            seed.copy_from_slice(&hash.finalize()[..32]);
        }
    }
    seed
}

#[inline(never)]
fn branch(seed: &Seed) {
    secret(seed);
    // Like a comparison that stops at the first difference.
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
