//! Verification of a group of claims, stage by stage (RFC 9381, section 5.3).
//!
//! A group runs through *decode*, *hash to curve*, *challenge*, *multiply* and
//! *compare*; every stage handles the whole group before the next begins, and
//! nothing goes back. A claim that fails leaves the group with its reason; the
//! rest go on. One claim alone is a group of one: there is no other verifier,
//! and so no other verdict.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use lanes::{Engine, Point};

use crate::backend::Backend;
use crate::error::Invalid;
use crate::hash_to_curve::hash_to_curve;
use crate::key::PublicKey;
use crate::proof::{Commitment, Output, Parts, decode_gammas, decode_s};
use crate::suite::{Rules, Suite};
use crate::transcript::{self, Challenge};

/// "This proof proves that `key` maps `alpha` to `output`", in bytes that the
/// claim borrows. Bytes of wrong length are allowed: the verdict says so.
///
/// ```
/// use klero::{Claim, Invalid, PRAOS};
/// let claim = Claim { key: &[2; 32], alpha: b"slot 7", proof: &[0; 80], output: None };
/// assert_eq!(PRAOS.verify(&claim), Err(Invalid::KeyNotOnCurve));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The public key, 32 bytes.
    pub key: &'a [u8],
    /// The input, of any length.
    pub alpha: &'a [u8],
    /// The proof, 80, 128 or 144 bytes as the suite has it.
    pub proof: &'a [u8],
    /// The output that is claimed, 64 bytes; `None` if only the proof counts.
    pub output: Option<&'a [u8]>,
}

/// Valid, with the output that the proof proves; or invalid, with the reason.
pub type Verdict = Result<Output, Invalid>;

impl Suite {
    /// Verifies one claim. Variable time; nothing here is secret.
    ///
    /// # Errors
    /// The first reason, in the order of [`Invalid`], why the claim is invalid.
    ///
    /// ```
    /// use klero::{Claim, Invalid, PRAOS, SecretKey};
    /// let key = SecretKey::from_seed(&[7; 32]);
    /// let (proof, output) = PRAOS.prove(&key, b"alpha");
    /// let mut claim = Claim {
    ///     key: key.public_key().as_bytes(),
    ///     alpha: b"alpha",
    ///     proof: proof.as_bytes(),
    ///     output: None,
    /// };
    /// assert_eq!(PRAOS.verify(&claim), Ok(output));
    /// claim.alpha = b"beta";
    /// assert_eq!(PRAOS.verify(&claim), Err(Invalid::ChallengeMismatch));
    /// ```
    pub fn verify(&self, claim: &Claim<'_>) -> Verdict {
        self.verify_on(Backend::default(), claim)
    }

    /// [`verify`](Self::verify) on a backend of choice; no verdict changes by it.
    ///
    /// ```
    /// use klero::{Backend, Claim, PRAOS};
    /// let claim = Claim { key: &[2; 32], alpha: b"", proof: &[0; 80], output: None };
    /// for backend in Backend::all() {
    ///     assert_eq!(PRAOS.verify_on(backend, &claim), PRAOS.verify(&claim));
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_on(&self, Backend(engine): Backend, claim: &Claim<'_>) -> Verdict {
        verify_each(engine, self, core::slice::from_ref(claim))
            .pop()
            .unwrap_or(Err(UNDECIDED))
    }
}

/// So many claims go through the stages together: every vector is full, and what
/// passes between the stages stays in the cache.
const GROUP: usize = 64;

/// Verifies every claim by the suite's one-at-a-time rule; the verdicts are in
/// the order of the claims.
pub(crate) fn verify_each(
    engine: &dyn Engine,
    suite: &Suite,
    claims: &[Claim<'_>],
) -> Vec<Verdict> {
    claims
        .chunks(GROUP)
        .flat_map(|claims| {
            let engine = engine.for_group(claims.len());
            let mut group = Group::decode(engine, suite, claims);
            group.hash_to_curve();
            group.challenge();
            let encoded = group.multiply();
            group.compare(&encoded);
            group.verdicts
        })
        .collect()
}

/// What a claim is until a stage decides: not valid.
const UNDECIDED: Invalid = Invalid::ChallengeMismatch;

/// The claims that have passed every stage so far, and the verdicts of all.
pub(crate) struct Group<'a> {
    engine: &'a dyn Engine,
    suite: &'a Suite,
    pub(crate) members: Vec<Member<'a>>,
    /// One for each claim of the caller, in order.
    pub(crate) verdicts: Vec<Verdict>,
}

/// A claim on its way through the stages.
pub(crate) struct Member<'a> {
    /// Its place among the claims of the caller.
    pub(crate) index: usize,
    pub(crate) claim: &'a Claim<'a>,
    pub(crate) key: PublicKey,
    pub(crate) parts: Parts<'a>,
    pub(crate) gamma: Point,
    pub(crate) s: Scalar,
    /// H and its encoding; the identity until [`Group::hash_to_curve`].
    pub(crate) h_point: Point,
    pub(crate) h: [u8; 32],
    /// The challenge that Y and Γ are multiplied by; 0 until [`Group::challenge`].
    pub(crate) c: Challenge,
}

impl<'a> Group<'a> {
    /// First stage: bytes to points and scalars. Equal keys are decoded once.
    pub(crate) fn decode(
        engine: &'a dyn Engine,
        suite: &'a Suite,
        claims: &'a [Claim<'a>],
    ) -> Self {
        let mut group = Self {
            engine,
            suite,
            members: Vec::with_capacity(claims.len()),
            verdicts: vec![Err(UNDECIDED); claims.len()],
        };
        let mut place_of_key: BTreeMap<&[u8], usize> = BTreeMap::new();
        let mut keys: Vec<&[u8]> = Vec::new();
        for claim in claims {
            place_of_key.entry(claim.key).or_insert_with(|| {
                keys.push(claim.key);
                keys.len() - 1
            });
        }
        let keys = PublicKey::from_bytes_each(engine, &keys);
        let parts: Vec<_> = claims
            .iter()
            .map(|claim| Parts::split(suite.proof_form, claim.proof))
            .collect();
        let gammas: Vec<[u8; 32]> = parts
            .iter()
            .map(|parts| parts.as_ref().map_or([0; 32], |parts| *parts.gamma))
            .collect();
        let gammas = decode_gammas(engine, &gammas);
        for (index, ((claim, parts), gamma)) in claims.iter().zip(parts).zip(gammas).enumerate() {
            let decoded = || {
                let key = keys[place_of_key[claim.key]]?;
                let parts = parts?;
                Ok(Member {
                    index,
                    claim,
                    key,
                    gamma: gamma?,
                    s: decode_s(suite.rules, parts.s)?,
                    parts,
                    h_point: Point::IDENTITY,
                    h: [0; 32],
                    c: [0; 16],
                })
            };
            match decoded() {
                Ok(member) => group.members.push(member),
                Err(invalid) => group.verdicts[index] = Err(invalid),
            }
        }
        group
    }

    /// Lets only those members go on that pass; the others have their verdict.
    fn retain(&mut self, mut stage: impl FnMut(&mut Member<'a>) -> Result<(), Invalid>) {
        let verdicts = &mut self.verdicts;
        self.members.retain_mut(|member| match stage(member) {
            Ok(()) => true,
            Err(invalid) => {
                verdicts[member.index] = Err(invalid);
                false
            }
        });
    }

    /// One item of every member, in order.
    pub(crate) fn each<T>(&self, item: impl FnMut(&Member<'a>) -> T) -> Vec<T> {
        self.members.iter().map(item).collect()
    }

    /// Second stage: H of every member, and its encoding.
    pub(crate) fn hash_to_curve(&mut self) {
        let inputs = self.each(|member| (*member.key.as_bytes(), member.claim.alpha));
        let inputs: Vec<_> = inputs.iter().map(|(key, alpha)| (key, *alpha)).collect();
        let mut points = hash_to_curve(self.engine, self.suite, &inputs).into_iter();
        self.retain(|member| {
            member.h_point = points.next().flatten().ok_or(Invalid::NoCurvePoint)?;
            Ok(())
        });
        // With Z = 1, as sums of many terms want it.
        let mut points = self.each(|member| member.h_point);
        self.engine.normalize(&mut points);
        let encodings = encode_all(self.engine, &points);
        for (member, (h_point, h)) in self.members.iter_mut().zip(points.iter().zip(encodings)) {
            member.h_point = *h_point;
            member.h = h;
        }
    }

    /// Third stage: the challenge to multiply by. A proof that carries U and V
    /// stands for the hash of their raw bytes; one that carries c as well must
    /// agree with it.
    pub(crate) fn challenge(&mut self) {
        let suite = self.suite;
        self.retain(|member| {
            let Parts { gamma, .. } = member.parts;
            let hashed = |u, v| {
                transcript::challenge(suite, member.key.as_bytes(), [&member.h, gamma, u, v])
            };
            member.c = match member.parts.commitment {
                Commitment::Challenge(c) => *c,
                Commitment::Points(u, v) => hashed(u, v),
                Commitment::Both(u, v, c) if hashed(u, v) == *c => *c,
                Commitment::Both(..) => return Err(Invalid::ChallengeMismatch),
            };
            Ok(())
        });
    }

    /// Fourth stage: U = s·B - c·Y and V = s·H - c·Γ, by the rule of the suite, and
    /// 8Γ; the encodings of all U, then of all V, then of all 8Γ.
    pub(crate) fn multiply(&self) -> Vec<[u8; 32]> {
        let engine = self.engine;
        let s = self.each(|member| member.s.to_bytes());
        let c = self.each(|member| member.c);
        let keys = self.each(|member| member.key.point);
        let h = self.each(|member| member.h_point);
        let gammas = self.each(|member| member.gamma);
        let mut u = vec![Point::IDENTITY; self.members.len()];
        let mut v = u.clone();
        engine.mul_base_sub(&s, &c, &keys, &mut u);
        match self.suite.rules {
            Rules::Rfc | Rules::Original => engine.mul_sub(&s, &h, &c, &gammas, &mut v),
            Rules::Cardano => {
                // To points with torsion L-c and -c are different multipliers.
                let m = self.each(|member| (-transcript::challenge_scalar(&member.c)).to_bytes());
                engine.mul_add(&s, &h, &m, &gammas, &mut v);
                // For Y the short -c will do where there is no torsion.
                let torsion = self.keys_with_torsion();
                let of = |all: &[[u8; 32]]| -> Vec<_> { torsion.iter().map(|&i| all[i]).collect() };
                let keys: Vec<_> = torsion.iter().map(|&i| keys[i]).collect();
                let bases = vec![Point::base(); keys.len()];
                let mut exact = keys.clone();
                engine.mul_add(&of(&s), &bases, &of(&m), &keys, &mut exact);
                for (&i, exact) in torsion.iter().zip(exact) {
                    u[i] = exact;
                }
            }
        }
        let mut cofactor_gammas = gammas.clone();
        engine.mul_by_cofactor(&gammas, &mut cofactor_gammas);
        // All in one call, so that they share inversions.
        encode_all(engine, &[u, v, cofactor_gammas].concat())
    }

    /// The places of members whose key has a torsion part; equal keys are tested once.
    fn keys_with_torsion(&self) -> Vec<usize> {
        let keys: BTreeMap<&[u8; 32], Point> = self
            .members
            .iter()
            .map(|member| (member.key.as_bytes(), member.key.point))
            .collect();
        let points: Vec<Point> = keys.values().copied().collect();
        let mut free = vec![false; points.len()];
        self.engine.torsion_free(&points, &mut free);
        let with_torsion: BTreeSet<&[u8; 32]> = keys
            .into_keys()
            .zip(free)
            .filter_map(|(key, free)| (!free).then_some(key))
            .collect();
        (0..self.members.len())
            .filter(|&i| with_torsion.contains(self.members[i].key.as_bytes()))
            .collect()
    }

    /// Last stage: hash, and compare the proof's own bytes with the recomputed ones.
    pub(crate) fn compare(&mut self, encoded: &[[u8; 32]]) {
        let n = self.members.len();
        for (i, member) in self.members.iter().enumerate() {
            let [u, v, cofactor_gamma] = [0, 1, 2].map(|kind| &encoded[kind * n + i]);
            self.verdicts[member.index] = member
                .compare_points(self.suite, u, v)
                .and_then(|()| member.compare_output(self.suite, cofactor_gamma));
        }
    }
}

impl Member<'_> {
    /// Does the proof say what the recomputed U and V say?
    fn compare_points(&self, suite: &Suite, u: &[u8; 32], v: &[u8; 32]) -> Result<(), Invalid> {
        match self.parts.commitment {
            Commitment::Challenge(c) => {
                let points = [&self.h, self.parts.gamma, u, v];
                let recomputed = transcript::challenge(suite, self.key.as_bytes(), points);
                ensure(recomputed == *c, Invalid::ChallengeMismatch)
            }
            Commitment::Points(proof_u, proof_v) | Commitment::Both(proof_u, proof_v, _) => {
                ensure(proof_u == u, Invalid::UMismatch)?;
                ensure(proof_v == v, Invalid::VMismatch)
            }
        }
    }

    /// The verdict on a proof that holds: beta, unless another one was claimed.
    pub(crate) fn compare_output(&self, suite: &Suite, cofactor_gamma: &[u8; 32]) -> Verdict {
        let proven = Output(transcript::output(suite, cofactor_gamma));
        match self.claim.output {
            Some(claimed) if claimed.len() != 64 => Err(Invalid::OutputLength(claimed.len())),
            Some(claimed) if claimed != proven.0 => Err(Invalid::OutputMismatch),
            _ => Ok(proven),
        }
    }
}

fn ensure(holds: bool, otherwise: Invalid) -> Result<(), Invalid> {
    if holds { Ok(()) } else { Err(otherwise) }
}

pub(crate) fn encode_all(engine: &dyn Engine, points: &[Point]) -> Vec<[u8; 32]> {
    let mut encodings = vec![[0; 32]; points.len()];
    engine.encode(points, &mut encodings);
    encodings
}
