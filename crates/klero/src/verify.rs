//! Verification of a group of claims, stage by stage (RFC 9381, section 5.3).
//!
//! A group runs through *decode* (with hash to curve), *challenge*, *multiply* and
//! *compare*; every stage handles the whole group before the next begins, and
//! nothing goes back. A claim that fails leaves the group with its reason; the
//! rest go on. One claim alone is a group of one: there is no other verifier,
//! and so no other verdict.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point};

use crate::backend::Backend;
use crate::error::Invalid;
use crate::hash_to_curve::decode_and_hash;
use crate::key::PublicKey;
use crate::proof::{self, Commitment, Output, Parts, decode_s};
use crate::suite::{ProofForm, Rules, Suite};
use crate::transcript::{self, Challenge};

/// "This proof proves that `key` maps `alpha` to `output`", in bytes that the
/// claim borrows. Bytes of wrong length are allowed: the verdict says so.
///
/// ```
/// use klero::{Claim, Invalid, Suite};
/// let claim = Claim { key: &[2; 32], alpha: b"slot 7", proof: &[0; 80], output: None };
/// assert_eq!(Suite::PRAOS.verify(&claim), Err(Invalid::KeyNotOnCurve));
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
    /// use klero::{Claim, Invalid, SecretKey, Suite};
    /// let key = SecretKey::from_seed(Suite::PRAOS, &[7; 32]);
    /// let (proof, output) = key.prove(b"alpha");
    /// let mut claim = Claim {
    ///     key: key.public_key().as_bytes(),
    ///     alpha: b"alpha",
    ///     proof: proof.as_bytes(),
    ///     output: None,
    /// };
    /// assert_eq!(Suite::PRAOS.verify(&claim), Ok(output));
    /// claim.alpha = b"beta";
    /// assert_eq!(Suite::PRAOS.verify(&claim), Err(Invalid::ChallengeMismatch));
    /// ```
    pub fn verify(self, claim: &Claim<'_>) -> Verdict {
        self.verify_on(Backend::default(), claim)
    }

    /// [`verify`](Self::verify) on a backend of choice; no verdict changes by it.
    ///
    /// ```
    /// use klero::{Backend, Claim, Suite};
    /// let claim = Claim { key: &[2; 32], alpha: b"", proof: &[0; 80], output: None };
    /// for backend in Backend::all() {
    ///     assert_eq!(Suite::PRAOS.verify_on(backend, &claim), Suite::PRAOS.verify(&claim));
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_on(self, Backend(engine): Backend, claim: &Claim<'_>) -> Verdict {
        verify_each(engine, self, core::slice::from_ref(claim))
            .pop()
            .unwrap_or(Err(UNDECIDED))
    }
}

/// How many claims go through the stages together: every vector is full, and what
/// passes between the stages stays in the cache.
pub(crate) const GROUP: usize = 64;

/// Verifies every claim by the suite's one-at-a-time rule; the verdicts are in
/// the order of the claims.
pub(crate) fn verify_each(engine: Engine, suite: Suite, claims: &[Claim<'_>]) -> Vec<Verdict> {
    claims
        .chunks(GROUP)
        .flat_map(|claims| {
            let mut group = Group::decode(engine, suite, claims);
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
    engine: Engine,
    suite: Suite,
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
    pub(crate) h_point: Point,
    /// The encoding of H; 0 until [`Group::challenge`] or [`Group::multiply`].
    pub(crate) h: [u8; 32],
    /// The challenge that Y and Γ are multiplied by; 0 until [`Group::challenge`].
    pub(crate) c: Challenge,
}

impl<'a> Group<'a> {
    /// First stage: bytes to points and scalars, and the hash to the curve. Equal keys
    /// are decoded once.
    pub(crate) fn decode(engine: Engine, suite: Suite, claims: &'a [Claim<'a>]) -> Self {
        let mut group = Self {
            engine,
            suite,
            members: Vec::with_capacity(claims.len()),
            verdicts: vec![Err(UNDECIDED); claims.len()],
        };
        let mut place_of_key: BTreeMap<&[u8], usize> = BTreeMap::new();
        let mut keys: Vec<&[u8]> = Vec::new();
        let places: Vec<usize> = claims
            .iter()
            .map(|claim| {
                *place_of_key.entry(claim.key).or_insert_with(|| {
                    keys.push(claim.key);
                    keys.len() - 1
                })
            })
            .collect();
        let parts: Vec<_> = claims
            .iter()
            .map(|claim| Parts::split(suite.proof_form, claim.proof))
            .collect();
        let key_encodings: Vec<_> = keys.iter().map(|key| PublicKey::encoding(key)).collect();
        let mut encodings = key_encodings.clone();
        encodings.extend(parts.iter().map(|parts| match parts {
            Ok(parts) => *parts.gamma,
            Err(_) => [0; 32],
        }));
        let inputs: Vec<_> = claims
            .iter()
            .zip(&places)
            .map(|(claim, &place)| (&key_encodings[place], claim.alpha))
            .collect();
        let (mut decoded, h_points) = decode_and_hash(engine, suite, &encodings, &inputs);
        let gammas = decoded.split_off(keys.len());
        let keys: Vec<_> = keys
            .into_iter()
            .zip(decoded)
            .map(|(key, decoded)| PublicKey::from_decoded(key, decoded))
            .collect();
        for (index, (((claim, parts), gamma), h_point)) in claims
            .iter()
            .zip(parts)
            .zip(gammas)
            .zip(h_points)
            .enumerate()
        {
            let decoded = || {
                let key = keys[places[index]]?;
                let parts = parts?;
                Ok(Member {
                    index,
                    claim,
                    key,
                    gamma: proof::gamma(gamma)?,
                    s: decode_s(suite.rules, parts.s)?,
                    parts,
                    h_point: h_point.ok_or(Invalid::NoCurvePoint)?,
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

    /// Gives every H Z = 1, as sums of many terms want it.
    pub(crate) fn normalize_h(&mut self) {
        let mut points = self.each(|member| member.h_point);
        self.engine.normalize(&mut points);
        for (member, point) in self.members.iter_mut().zip(points) {
            member.h_point = point;
        }
    }

    /// Second stage: the challenge to multiply by. A proof that carries U and V
    /// stands for the hash of their raw bytes; one that carries c as well must
    /// agree with it.
    pub(crate) fn challenge(&mut self) {
        let mut hashed = Vec::new();
        if self.suite.proof_form != ProofForm::GammaCS {
            let h = encode_all(self.engine, &self.each(|member| member.h_point));
            self.set_h(&h);
            hashed = self.hashed(self.members.iter().map(|member| {
                let points = member.parts.commitment.points();
                points.unwrap_or([&[0; 32]; 2])
            }));
        }
        let mut hashed = hashed.into_iter();
        self.retain(|member| {
            member.c = match (member.parts.commitment, hashed.next()) {
                (Commitment::Challenge(c), _) => *c,
                (Commitment::Points(..), Some(hashed)) => hashed,
                (Commitment::Both(_, _, c), Some(hashed)) if hashed == *c => hashed,
                _ => return Err(Invalid::ChallengeMismatch),
            };
            Ok(())
        });
    }

    /// The challenge of each member with these U and V.
    fn hashed<'p>(&'p self, points: impl Iterator<Item = [&'p [u8; 32]; 2]>) -> Vec<Challenge> {
        let items = self.members.iter().zip(points).map(|(member, [u, v])| {
            let points = [&member.h, member.parts.gamma, u, v];
            (member.key.as_bytes(), points)
        });
        transcript::challenges(self.engine, self.suite, items)
    }

    fn set_h(&mut self, encodings: &[[u8; 32]]) {
        for (member, h) in self.members.iter_mut().zip(encodings) {
            member.h = *h;
        }
    }

    /// Third stage: U = s·B - c·Y and V = s·H - c·Γ, by the rule of the suite, and
    /// 8Γ; the encodings of all U, then of all V, then of all 8Γ.
    pub(crate) fn multiply(&mut self) -> Vec<[u8; 32]> {
        let (engine, n) = (self.engine, self.members.len());
        let s = self.each(|member| member.s.to_bytes());
        let c = self.each(|member| member.c);
        let keys = self.each(|member| member.key.point);
        let h = self.each(|member| member.h_point);
        let gammas = self.each(|member| member.gamma);
        // To points with torsion L-c and -c are different multipliers.
        let (m, subtract) = match self.suite.rules {
            Rules::Rfc | Rules::Original => (self.each(|member| wide(&member.c)), true),
            Rules::Cardano => {
                let m = |member: &Member<'_>| -transcript::challenge_scalar(&member.c);
                (self.each(|member| m(member).to_bytes()), false)
            }
        };
        let mut u = vec![Point::IDENTITY; n];
        let mut v = u.clone();

        let whole = engine.whole(n);
        let shared = ..whole;
        engine.mul_base_sub(&s[shared], &c[shared], &keys[shared], &mut u[shared]);
        if subtract {
            engine.mul_sub(
                &s[shared],
                &h[shared],
                &c[shared],
                &gammas[shared],
                &mut v[shared],
            );
        } else {
            engine.mul_add(
                &s[shared],
                &h[shared],
                &m[shared],
                &gammas[shared],
                &mut v[shared],
            );
            // For Y the short -c does where there is no torsion.
            let torsion = self.keys_with_torsion(whole);
            let of = |all: &[[u8; 32]]| -> Vec<_> { torsion.iter().map(|&i| all[i]).collect() };
            let keys: Vec<_> = torsion.iter().map(|&i| keys[i]).collect();
            let bases = vec![Point::BASE; keys.len()];
            let mut exact = keys.clone();
            engine.mul_add(&of(&s), &bases, &of(&m), &keys, &mut exact);
            for (&i, exact) in torsion.iter().zip(exact) {
                u[i] = exact;
            }
        }

        let alone = whole..n;
        let a: Vec<_> = h[alone.clone()].iter().map(|h| [Point::BASE, *h]).collect();
        let b: Vec<_> = alone.clone().map(|i| [keys[i], gammas[i]]).collect();
        let mut both = b.clone();
        engine.mul_alone(
            &s[alone.clone()],
            &a,
            &m[alone.clone()],
            &b,
            subtract,
            &mut both,
        );
        for (i, [own_u, own_v]) in alone.zip(both) {
            (u[i], v[i]) = (own_u, own_v);
        }

        let mut cofactor_gammas = gammas.clone();
        engine.mul_by_cofactor(&gammas, &mut cofactor_gammas);
        // All in one call, so that they share inversions.
        let mut points = [u, v, cofactor_gammas].concat();
        let h_is_known = self.suite.proof_form != ProofForm::GammaCS;
        if !h_is_known {
            points.extend(h);
        }
        let encoded = encode_all(engine, &points);
        if !h_is_known {
            self.set_h(&encoded[3 * n..]);
        }
        encoded
    }

    /// The places, of the first members, of those whose key has a torsion part; equal
    /// keys are tested once.
    fn keys_with_torsion(&self, members: usize) -> Vec<usize> {
        let keys: BTreeMap<&[u8; 32], Point> = self.members[..members]
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
        (0..members)
            .filter(|&i| with_torsion.contains(self.members[i].key.as_bytes()))
            .collect()
    }

    /// Last stage: hash, and compare the proof's own bytes with the recomputed ones.
    pub(crate) fn compare(&mut self, encoded: &[[u8; 32]]) {
        let n = self.members.len();
        let (u, rest) = encoded.split_at(n);
        let (v, rest) = rest.split_at(n);
        let recomputed = match self.suite.proof_form {
            ProofForm::GammaCS => self.hashed(u.iter().zip(v).map(|(u, v)| [u, v])),
            ProofForm::GammaUVS | ProofForm::GammaUVCS => Vec::new(),
        };
        let outputs = transcript::outputs(self.engine, self.suite, &rest[..n]);
        for (i, (member, output)) in self.members.iter().zip(outputs).enumerate() {
            let points = match member.parts.commitment {
                Commitment::Challenge(c) => {
                    ensure(recomputed.get(i) == Some(c), Invalid::ChallengeMismatch)
                }
                Commitment::Points(proof_u, proof_v) | Commitment::Both(proof_u, proof_v, _) => {
                    ensure(*proof_u == u[i], Invalid::UMismatch)
                        .and(ensure(*proof_v == v[i], Invalid::VMismatch))
                }
            };
            self.verdicts[member.index] = points.and_then(|()| member.compare_output(output));
        }
    }
}

impl Member<'_> {
    /// The verdict on a proof that holds: beta, unless another one was claimed.
    pub(crate) fn compare_output(&self, proven: Output) -> Verdict {
        match self.claim.output {
            Some(claimed) if claimed.len() != 64 => Err(Invalid::OutputLength(claimed.len())),
            Some(claimed) if claimed != proven.0 => Err(Invalid::OutputMismatch),
            _ => Ok(proven),
        }
    }
}

/// A challenge as a scalar's bytes.
fn wide(c: &Challenge) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(c);
    bytes
}

fn ensure(holds: bool, otherwise: Invalid) -> Result<(), Invalid> {
    if holds { Ok(()) } else { Err(otherwise) }
}

pub(crate) fn encode_all(engine: Engine, points: &[Point]) -> Vec<[u8; 32]> {
    let mut encodings = vec![[0; 32]; points.len()];
    engine.encode(points, &mut encodings);
    encodings
}
