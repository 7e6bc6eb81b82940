//! Random claims: honest, spoiled and forged, in groups of all sizes.

use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use klero::SecretKey;
use klero_reference::{self as reference, Form, Suite};
use sha2::{Digest, Sha512};

use super::case::{Case, spoil};
use super::compare::subject;
use super::hostile::hidden_by;
use super::oracle;
use super::rng::Rng;

/// A random claim.
pub struct Made {
    /// The claim. If it was altered, its expected verdict is still that of the honest claim.
    pub case: Case,
    /// True if the claim was altered, so that its verdict is not known.
    pub altered: bool,
}

/// An endless source of groups of claims of one suite.
pub struct Source {
    suite: &'static Suite,
    pub rng: Rng,
    /// The keys of the claims. Most repeat from group to group.
    keys: Vec<SecretKey>,
}

impl Source {
    pub fn new(suite: &'static Suite, seed: u64) -> Self {
        let mut rng = Rng(seed);
        let keys = (0..100)
            .map(|_| SecretKey::from_seed(subject(suite), &rng.array()))
            .collect();
        Self { suite, rng, keys }
    }

    /// Makes a group of claims with the oracle's verdicts.
    pub fn judged(&mut self) -> Vec<Case> {
        let suite = self.suite;
        let judged = self.group().into_iter().map(|Made { mut case, altered }| {
            let verdict = oracle::verify(suite, &case);
            assert!(
                altered || verdict == case.expected,
                "{verdict:x?}: {case:x?}"
            );
            case.expected = verdict;
            case
        });
        judged.collect()
    }

    /// Makes a group of claims. All of them, all but one, some or none are honest.
    pub fn group(&mut self) -> Vec<Made> {
        let Self { suite, rng, keys } = self;
        let replaced = rng.below(keys.len());
        keys[replaced] = SecretKey::from_seed(subject(suite), &rng.array());
        let size = size(rng);
        let alphas: Vec<_> = (0..size)
            .map(|_| {
                let len = rng.below(100);
                rng.bytes(len)
            })
            .collect();
        let requests: Vec<_> = alphas
            .iter()
            .map(|alpha| (&keys[rng.below(keys.len())], &alpha[..]))
            .collect();
        let proofs = klero::Prover::new().prove_many(&requests);
        let spoiled_of_16 = [0, 0, 1, 5, 16][rng.below(5)];
        let one = rng.below(4 * size);
        let cases = requests.iter().zip(&proofs).enumerate();
        cases
            .map(|(index, ((key, alpha), (proof, output)))| {
                let mut case = Case {
                    name: "random".to_owned(),
                    key: key.public_key().as_bytes().to_vec(),
                    alpha: alpha.to_vec(),
                    proof: proof.as_bytes().to_vec(),
                    output: (rng.below(2) == 0).then(|| output.0.to_vec()),
                    expected: Ok(output.0),
                };
                let altered = index == one || rng.below(16) < spoiled_of_16;
                if altered {
                    match rng.below(8) {
                        0 | 1 => forge(suite, rng, &mut case),
                        2 => add_torsion(rng, &mut case.key),
                        3 => add_torsion(rng, &mut case.proof[..32]),
                        4 if suite.form != Form::Bytes80 => {
                            let at = 32 * (1 + rng.below(2));
                            add_torsion(rng, &mut case.proof[at..at + 32]);
                        }
                        _ => spoil(rng, &mut case),
                    }
                }
                Made { case, altered }
            })
            .collect()
    }
}

/// Returns the size of a group. Most groups are small, because a few claims can fill one or two vectors in
/// many ways. Some are large enough for the torsion test of random subsets, or to fill the group of one sum.
fn size(rng: &mut Rng) -> usize {
    match rng.below(64) {
        0 if !cfg!(debug_assertions) => 1900 + rng.below(300),
        1..=3 => 250 + rng.below(150),
        4..=15 => 1 + rng.below(130),
        _ => 1 + rng.below(40),
    }
}

/// A factor from 1 to 7 for a point of order 8. About half of the multiples have order 2.
fn torsion(rng: &mut Rng) -> usize {
    [4, 4, 4, 2, 6, 1 + rng.below(7)][rng.below(6)]
}

/// Adds a point of small order to an encoded point.
fn add_torsion(rng: &mut Rng, encoding: &mut [u8]) {
    let point = CompressedEdwardsY::from_slice(encoding).unwrap();
    let point = point.decompress().unwrap() + EIGHT_TORSION[torsion(rng)];
    encoding.copy_from_slice(point.compress().as_bytes());
}

/// Forges a proof by a key owner who adds points of small order to Y, Γ, U and V. The points cancel if c has
/// the residue mod 8 that was guessed (or, often, another one), so that many of these proofs are valid.
fn forge(suite: &Suite, rng: &mut Rng, case: &mut Case) {
    let mut errors = [0; 4];
    for _ in 0..=rng.below(2) {
        errors[rng.below(2)] = torsion(rng);
    }
    let residue = rng.below(8) as u8;
    for point in [0, 1] {
        errors[2 + point] = hidden_by(suite.rules, residue, errors[point]);
    }
    let [y_error, gamma_error, u_error, v_error] = errors.map(|error| EIGHT_TORSION[error]);
    let digest: [u8; 64] = Sha512::digest(rng.bytes(32)).into();
    let x = Scalar::from_bytes_mod_order(clamp_integer(digest[..32].try_into().unwrap()));
    let k = Scalar::from_bytes_mod_order_wide(&Sha512::digest(digest).into());
    let encode = |point: EdwardsPoint| point.compress().to_bytes();

    let key = encode(EdwardsPoint::mul_base(&x) + y_error);
    let h_point = oracle::hash_to_curve(suite, &key, &case.alpha).unwrap();
    let gamma = encode(h_point * x + gamma_error);
    let u = encode(ED25519_BASEPOINT_POINT * k + u_error);
    let v = encode(h_point * k + v_error);
    let c = reference::challenge(suite, &key, [encode(h_point), gamma, u, v]);
    let s = (k + oracle::scalar(&c) * x).to_bytes();
    case.key = key.to_vec();
    case.proof = reference::proof_bytes(suite, [gamma, u, v, s], c);
    case.output = None;
}
