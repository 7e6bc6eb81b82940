//! Verification of a group of claims, stage by stage (RFC 9381, section 5.3).
//!
//! A group runs through *decode*, *hash to curve*, *challenge*, *multiply* and
//! *compare*; every stage handles the whole group before the next begins, and
//! nothing goes back. A claim that fails leaves the group with its reason; the
//! rest go on. One claim alone is a group of one: there is no other verifier,
//! and so no other verdict.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::VartimeMultiscalarMul;

use crate::error::Invalid;
use crate::hash_to_curve::hash_to_curve;
use crate::key::PublicKey;
use crate::proof::{Commitment, Output, Parts, decode_gamma, decode_s};
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
        verify_each(self, core::slice::from_ref(claim))
            .pop()
            .unwrap_or(Err(UNDECIDED))
    }
}

/// Verifies every claim by the suite's one-at-a-time rule; the verdicts are in
/// the order of the claims.
pub(crate) fn verify_each(suite: &Suite, claims: &[Claim<'_>]) -> Vec<Verdict> {
    let mut group = Group::decode(suite, claims);
    group.hash_to_curve();
    group.challenge();
    let points = group.multiply();
    group.compare(&points);
    group.verdicts
}

/// What a claim is until a stage decides: not valid.
const UNDECIDED: Invalid = Invalid::ChallengeMismatch;

/// The claims that have passed every stage so far, and the verdicts of all.
pub(crate) struct Group<'a> {
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
    pub(crate) gamma: EdwardsPoint,
    pub(crate) s: Scalar,
    /// H and its encoding; the identity until [`Group::hash_to_curve`].
    pub(crate) h_point: EdwardsPoint,
    pub(crate) h: [u8; 32],
    /// The challenge that Y and Γ are multiplied by; 0 until [`Group::challenge`].
    pub(crate) c: Challenge,
}

/// What [`Group::multiply`] computes for a member.
pub(crate) struct Recomputed {
    u: EdwardsPoint,
    v: EdwardsPoint,
    cofactor_gamma: EdwardsPoint,
}

impl<'a> Group<'a> {
    /// First stage: bytes to points and scalars. Equal keys are decoded once.
    pub(crate) fn decode(suite: &'a Suite, claims: &'a [Claim<'a>]) -> Self {
        let mut group = Self {
            suite,
            members: Vec::with_capacity(claims.len()),
            verdicts: vec![Err(UNDECIDED); claims.len()],
        };
        let mut keys: BTreeMap<&[u8], Result<PublicKey, Invalid>> = BTreeMap::new();
        for (index, claim) in claims.iter().enumerate() {
            let key = *keys
                .entry(claim.key)
                .or_insert_with(|| PublicKey::from_bytes(claim.key));
            match Member::decode(suite, index, claim, key) {
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

    /// Second stage: H of every member; the encodings share one inversion.
    pub(crate) fn hash_to_curve(&mut self) {
        let suite = self.suite;
        self.retain(|member| {
            member.h_point = hash_to_curve(suite, member.key.as_bytes(), member.claim.alpha)
                .ok_or(Invalid::NoCurvePoint)?;
            Ok(())
        });
        let points: Vec<_> = self.members.iter().map(|member| member.h_point).collect();
        for (member, h) in self.members.iter_mut().zip(encode_all(&points)) {
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

    /// Fourth stage: U = s·B - c·Y and V = s·H - c·Γ, by the rule of the suite.
    pub(crate) fn multiply(&self) -> Vec<Recomputed> {
        self.members
            .iter()
            .map(|member| {
                let c = transcript::challenge_scalar(&member.c);
                let (key, gamma, s) = (member.key.point, member.gamma, member.s);
                // The difference matters only to points with torsion: to them L-c
                // and -c are different multipliers.
                let (m, key, gamma) = match self.suite.rules {
                    Rules::Cardano => (-c, key, gamma),
                    Rules::Rfc | Rules::Original => (c, -key, -gamma),
                };
                Recomputed {
                    u: EdwardsPoint::vartime_double_scalar_mul_basepoint(&m, &key, &s),
                    v: EdwardsPoint::vartime_multiscalar_mul([m, s], [gamma, member.h_point]),
                    cofactor_gamma: member.gamma.mul_by_cofactor(),
                }
            })
            .collect()
    }

    /// Last stage: hash, and compare the proof's own bytes with the recomputed
    /// ones. All encodings share one inversion.
    pub(crate) fn compare(&mut self, recomputed: &[Recomputed]) {
        let points: Vec<_> = recomputed
            .iter()
            .flat_map(|r| [r.u, r.v, r.cofactor_gamma])
            .collect();
        let encoded = encode_all(&points);
        for (member, encoded) in self.members.iter().zip(encoded.chunks_exact(3)) {
            let (u, v, cofactor_gamma) = (&encoded[0], &encoded[1], &encoded[2]);
            self.verdicts[member.index] = member
                .compare_points(self.suite, u, v)
                .and_then(|()| member.compare_output(self.suite, cofactor_gamma));
        }
    }
}

impl<'a> Member<'a> {
    fn decode(
        suite: &Suite,
        index: usize,
        claim: &'a Claim<'a>,
        key: Result<PublicKey, Invalid>,
    ) -> Result<Self, Invalid> {
        let key = key?;
        let parts = Parts::split(suite.proof_form, claim.proof)?;
        Ok(Self {
            index,
            claim,
            key,
            gamma: decode_gamma(parts.gamma)?,
            s: decode_s(suite.rules, parts.s)?,
            parts,
            h_point: EdwardsPoint::default(),
            h: [0; 32],
            c: [0; 16],
        })
    }

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

pub(crate) fn encode_all(points: &[EdwardsPoint]) -> Vec<[u8; 32]> {
    EdwardsPoint::compress_batch_alloc(points)
        .into_iter()
        .map(|encoded| encoded.to_bytes())
        .collect()
}
