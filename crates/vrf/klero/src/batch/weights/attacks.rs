//! Attacks that succeed against weaker weights, and fail against the real weights.
//!
//! A sum accepts a batch if `Σ a·(s·B - c·Y - U) + b·(s·H - c·Γ - V) = 0`. The two expressions in brackets
//! are the errors of a claim. A forger makes invalid claims whose errors are known multiples of one point. If
//! these multiples times their weights add up to zero, the sum accepts all claims, though each is invalid.
//!
//! Two obstacles stop the forger. First, the weights are hashed from everything that he can choose, so once
//! he knows them, nothing is left to choose. Second, a weight has 128 bits, so repeated attempts do not help.
//! Each test removes one of the two obstacles.

use alloc::vec::Vec;

use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use klero_lanes::engine;

use super::tests::{Row, by_definition};
use super::{Pair, Weights};
use crate::backend::Backend;
use crate::batch::table::encode_all;
use crate::claim::Claim;
use crate::claim::Report;
use crate::error::Invalid;
use crate::hash_to_curve::decode_and_hash;
use crate::key::SecretKey;
use crate::stage::unwatched;
use crate::suite::Suite;
use crate::transcript::{challenge_scalar, challenges};
use crate::verifier::{Method, Verifier};

const SUITE: Suite = Suite::RFC9381_ELL2_BC;
const ALPHA: &[u8] = b"alpha";

/// The owner of a key, who makes claims about one alpha and does not follow the protocol.
struct Forger {
    key: SecretKey,
    h: [u8; 32],
}

/// The owner's choices before the challenge is known. An honest owner chooses k, and 0 for the others.
#[derive(Clone, Copy, Default)]
struct Choice {
    k: u64,
    /// Γ = (x + gamma)·H.
    gamma: i8,
    /// U = (k - u)·B.
    u: i8,
    /// V = (k - v)·H.
    v: i8,
}

/// A claim whose s is not chosen yet.
struct Open {
    key: [u8; 32],
    h: [u8; 32],
    points: [[u8; 32]; 3],
    c: Scalar,
    /// The s of an honest owner, k + c·x.
    s: Scalar,
}

impl Forger {
    fn new() -> Self {
        let key = SecretKey::from_seed(SUITE, &[7; 32]);
        let input = [(key.public_key().as_bytes(), ALPHA)];
        let (_, h, _) = decode_and_hash(engine(), SUITE, &[], &input, &mut unwatched);
        let h = encode_all(engine(), &h)[0];
        Self { key, h }
    }

    fn open(&self, choice: Choice) -> Open {
        let (x, k) = (self.key.x(), Scalar::from(choice.k));
        let h = CompressedEdwardsY(self.h).decompress().unwrap();
        let points = [
            h * (x + small(choice.gamma)),
            EdwardsPoint::mul_base(&(k - small(choice.u))),
            h * (k - small(choice.v)),
        ];
        let points = points.map(|point| point.compress().to_bytes());
        let [gamma, u, v] = &points;
        let key = *self.key.public_key().as_bytes();
        let hashed = [(&key, [&self.h, gamma, u, v])].into_iter();
        let c = challenge_scalar(&challenges(engine(), SUITE, hashed)[0]);
        Open {
            key,
            h: self.h,
            points,
            c,
            s: k + c * x,
        }
    }

    /// A claim with the s of an honest owner. If `gamma` is 0, its errors are u·B and v·H.
    fn claim(&self, choice: Choice) -> Row {
        let open = self.open(choice);
        open.with_s(open.s)
    }
}

impl Open {
    fn with_s(&self, s: Scalar) -> Row {
        Row {
            key: self.key,
            h: self.h,
            proof: [self.points.as_flattened(), s.as_bytes()].concat(),
        }
    }
}

fn small(number: i8) -> Scalar {
    let magnitude = Scalar::from(number.unsigned_abs());
    if number < 0 { -magnitude } else { magnitude }
}

/// Keeps only the bits of `mask` in each weight.
pub(super) fn masked(mask: u128, mut weights: Vec<Pair>) -> Vec<Pair> {
    for weight in weights.as_flattened_mut() {
        *weight = (u128::from_le_bytes(*weight) & mask).to_le_bytes();
    }
    weights
}

fn claims<'r>(batch: &[&'r Row]) -> Vec<Claim<'r>> {
    batch
        .iter()
        .map(|row| Claim::new(&row.key, ALPHA, &row.proof))
        .collect()
}

fn by_sum(weights: Weights, batch: &[&Row], backend: Backend) -> Report {
    let verifier = Verifier::new(SUITE).backend(backend).weights(weights);
    verifier.method(Method::Sum).verify_many(&claims(batch))
}

/// True if one sum accepts all claims as valid. Asserts that all backends agree.
#[track_caller]
fn accepts(weights: Weights, batch: &[&Row]) -> bool {
    let accepted = Backend::all().into_iter().map(|backend| {
        let report = by_sum(weights, batch, backend);
        report.verified_alone == 0 && report.verdicts.iter().all(Result::is_ok)
    });
    let accepted: Vec<bool> = accepted.collect();
    assert!(
        accepted.windows(2).all(|two| two[0] == two[1]),
        "{accepted:?}"
    );
    accepted[0]
}

/// Asserts that the sum and `OneByOne` reject the first two claims of the batch, and only these.
#[track_caller]
fn assert_first_two_rejected(weights: Weights, batch: &[&Row]) {
    for backend in Backend::all() {
        let verdicts = by_sum(weights, batch, backend).verdicts;
        for (row, verdict) in verdicts.iter().enumerate() {
            let rejected = *verdict == Err(Invalid::UMismatch);
            assert_eq!(rejected, row < 2, "{backend:?} {row}: {verdict:?}");
        }
        let one_by_one = Verifier::new(SUITE).method(Method::OneByOne);
        assert_eq!(verdicts, one_by_one.verify_many(&claims(batch)).verdicts);
    }
}

/// In the first two claims, U is wrong by B and by -B, so their errors cancel if their weights are equal.
/// Each of the next twenty places has one of two valid claims, so there are 2^20 such batches, all with
/// different weights. The forger tries one batch after another. In about one of 2^16 batches, the weights of
/// the first two claims have the same first 16 bits. He finds no batch in which all 128 bits are the same.
#[test]
fn a_search_finds_equal_weights_of_16_bits_but_not_of_128() {
    let forger = Forger::new();
    let forged = [(1, 1), (2, -1)].map(|(k, u)| {
        forger.claim(Choice {
            k,
            u,
            ..Choice::default()
        })
    });
    let honest = [3, 4].map(|k| {
        forger.claim(Choice {
            k,
            ..Choice::default()
        })
    });
    let batch = |number: usize| -> Vec<&Row> {
        let behind = (0..20).map(|place| &honest[number >> place & 1]);
        forged.iter().chain(behind).collect()
    };
    let equal = |number: &usize| {
        let weights = by_definition(SUITE, batch(*number).into_iter());
        let [one, other] = [0, 1].map(|claim: usize| weights[claim][0]);
        assert_ne!(one, other, "equal weights of 128 bits");
        one[..2] == other[..2]
    };
    let found = batch((0..1 << 20).find(equal).unwrap());

    assert!(accepts(Weights::Masked(0xffff), &found));
    assert_first_two_rejected(Weights::Hashed, &found);
    assert_first_two_rejected(Weights::Random([7; 32]), &found);
}

/// Two claims have Γ = (x + 1)·H, which gives alpha a second output. Both challenges are the same c, hashed
/// from the same values. With s = k + c·x + t, a claim's errors are t·B and (t - c)·H. A forger who knows the
/// weights a and b of one claim and a' and b' of the other before he chooses t and t' can solve
/// `a·t + a'·t' = 0` and `b·(t - c) + b'·(t' - c) = 0`.
#[test]
fn who_knows_the_weights_beforehand_solves_for_a_second_output() {
    let forger = Forger::new();
    let open = forger.open(Choice {
        k: 1,
        gamma: 1,
        ..Choice::default()
    });
    let forged = |weights: &[Pair]| {
        let number = |weight| Scalar::from(u128::from_le_bytes(weight));
        let [[a, b], [a2, b2]] = [0, 1].map(|claim: usize| weights[claim].map(number));
        let factor = open.c * (b + b2) * (b * a2 - b2 * a).invert();
        [factor * a2, -factor * a].map(|t| open.with_s(open.s + t))
    };
    let (_, output) = forger.key.prove(ALPHA);

    // The maker of the proofs must not know the seed. This forger knows it.
    let seed = [5; 32];
    let mut weights = [[[0; 16]; 2]; 2];
    let mut stream = blake3::Hasher::new_keyed(&seed).finalize_xof();
    stream.fill(weights.as_flattened_mut().as_flattened_mut());
    let rows = forged(&weights);
    let batch = [&rows[0], &rows[1]];
    assert!(accepts(Weights::Random(seed), &batch));
    for verdict in by_sum(Weights::Random(seed), &batch, Backend::default()).verdicts {
        assert_ne!(verdict, Ok(output));
    }
    assert_first_two_rejected(Weights::Random([6; 32]), &batch);

    // Hashed weights change as soon as the forger uses them to change a claim.
    let mut rows = [open.s, open.s + open.c].map(|s| open.with_s(s));
    for _ in 0..100 {
        let known = by_definition(SUITE, rows.iter());
        rows = forged(&known);
        assert!(!accepts(Weights::Hashed, &[&rows[0], &rows[1]]));
    }
    assert_first_two_rejected(Weights::Hashed, &[&rows[0], &rows[1]]);
}

/// If the mask keeps only one bit of each weight, two opposite errors cancel exactly if this bit is equal in
/// both weights. This is so for every single bit, so the sum uses every bit of each weight.
#[test]
fn every_bit_of_a_weight_counts_in_the_sum() {
    let forger = Forger::new();
    let wrong = |equation: usize, error: i8, k: u64| {
        let [u, v] = [[error, 0], [0, error]][equation];
        forger.claim(Choice {
            k,
            u,
            v,
            ..Choice::default()
        })
    };
    for equation in 0..2 {
        let above: Vec<_> = (1..8).map(|k| wrong(equation, 1, k)).collect();
        let below: Vec<_> = (11..18).map(|k| wrong(equation, -1, k)).collect();
        let pairs = above.iter().flat_map(|a| below.iter().map(move |b| [a, b]));
        let batches: Vec<_> = pairs
            .map(|pair| {
                let weights = by_definition(SUITE, pair.into_iter());
                let [one, other] = [0, 1].map(|claim: usize| weights[claim][equation]);
                let differ = u128::from_le_bytes(one) ^ u128::from_le_bytes(other);
                (pair, differ)
            })
            .collect();
        for bit in 0..128 {
            let mask = 1 << bit;
            let find = |wanted: u128| batches.iter().find(|(_, differ)| differ & mask == wanted);
            let (different, equal) = (find(mask).unwrap().0, find(0).unwrap().0);
            assert!(!accepts(Weights::Masked(mask), &different), "{bit}");
            assert!(accepts(Weights::Masked(mask), &equal), "{bit}");
        }
    }
}
