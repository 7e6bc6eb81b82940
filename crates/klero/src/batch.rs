//! Many claims of one suite at once, with one verdict for each.
//!
//! Proofs that carry U and V (128 and 144 bytes) are verified together: the
//! equations s·B + m·Y - U = 0 and s·H + m·Γ - V = 0 of all of them (m the
//! multiplier of the suite, -c or L-c) are added up with random weights and
//! checked by one multiscalar multiplication.
//!
//! # The verdict does not change
//! A sum like that is blind to points of small order, and published batch
//! verifiers accept or reject such proofs otherwise than their one-at-a-time
//! twins. Here a batch has two parts. The *prime-order part* is the weighted
//! sum times the cofactor. The *torsion part* shows that no U + (-m)·Y and no
//! V + (-m)·Γ has a small-order component; only m mod 8 matters for it. U and V
//! must decode strictly, because the one-at-a-time rule compares bytes. Together
//! they accept exactly what the one-at-a-time rule accepts, up to an error of
//! 2^-128 for each try at the hash that the weights come from.
//!
//! Whatever does not pass is verified again one at a time, and that verdict
//! counts; so a claim has one verdict, in a batch or alone, with one reason.
//!
//! Proofs without U and V (80 bytes) gain nothing from a sum; they are verified
//! one at a time behind the same call.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};

use crate::coefficients::Coefficients;
use crate::point;
use crate::proof::Commitment;
use crate::suite::{ProofForm, Rules, Suite};
use crate::torsion::all_torsion_free;
use crate::transcript;
use crate::verify::{Claim, Group, Member, Verdict, encode_all, verify_each};

/// So many claims are verified as one group: enough for the multiscalar
/// multiplication to reach its best rate, and little memory however many claims
/// there are.
const GROUP: usize = 2048;

/// A batch of claims of one suite: any number, mixed keys, mixed sizes of alpha.
///
/// Push borrows the claims' bytes; nothing is computed before [`verify`](Self::verify).
///
/// ```
/// use klero::{Batch, Claim, Invalid, RFC9381_ELL2_BC, SecretKey};
/// let suite = &RFC9381_ELL2_BC;
/// let key = SecretKey::from_seed(&[7; 32]);
/// let alphas: Vec<_> = (0..20u8).map(|i| [i]).collect();
/// let proofs: Vec<_> = alphas.iter().map(|alpha| suite.prove(&key, alpha)).collect();
///
/// let mut batch = Batch::new(suite);
/// for (alpha, (proof, output)) in alphas.iter().zip(&proofs) {
///     batch.push(Claim {
///         key: key.public_key().as_bytes(),
///         alpha,
///         proof: proof.as_bytes(),
///         output: Some(output.as_bytes()),
///     });
/// }
/// batch.push(Claim {
///     key: key.public_key().as_bytes(),
///     alpha: b"another alpha",
///     proof: proofs[0].0.as_bytes(),
///     output: None,
/// });
/// let verdicts = batch.verify();
/// assert_eq!(verdicts[3], Ok(proofs[3].1));
/// assert_eq!(verdicts[20], Err(Invalid::UMismatch));
/// ```
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    suite: Suite,
    coefficients: Coefficients,
    claims: Vec<Claim<'a>>,
}

impl<'a> Batch<'a> {
    /// An empty batch.
    pub fn new(suite: &Suite) -> Self {
        Self {
            suite: *suite,
            coefficients: Coefficients::Hashed,
            claims: Vec::new(),
        }
    }

    /// Takes the coefficients from elsewhere; no verdict changes by it.
    pub fn with_coefficients(self, coefficients: Coefficients) -> Self {
        Self {
            coefficients,
            ..self
        }
    }

    /// Adds a claim.
    pub fn push(&mut self, claim: Claim<'a>) {
        self.claims.push(claim);
    }

    /// The number of claims.
    pub fn len(&self) -> usize {
        self.claims.len()
    }

    /// True if there is no claim.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// One verdict for each claim, in order: the same that
    /// [`Suite::verify`] gives for the claim alone. An empty batch
    /// has no verdicts, and so no invalid one.
    ///
    /// A pure function of the claims, unless the coefficients are
    /// [`Random`](Coefficients::Random). Variable time. Beside the verdicts it
    /// needs memory for 2048 claims (about 2 MB), however many there are. Claims
    /// that are all invalid cost at most about three times what the same number
    /// of single verifications cost.
    pub fn verify(&self) -> Vec<Verdict> {
        self.claims
            .chunks(GROUP)
            .flat_map(|claims| match self.suite.proof_form {
                ProofForm::GammaCS => verify_each(&self.suite, claims),
                ProofForm::GammaUVS | ProofForm::GammaUVCS => {
                    verify_together(&self.suite, self.coefficients, claims)
                }
            })
            .collect()
    }
}

impl<'a> Extend<Claim<'a>> for Batch<'a> {
    fn extend<I: IntoIterator<Item = Claim<'a>>>(&mut self, claims: I) {
        self.claims.extend(claims);
    }
}

/// Verifies a group of claims that carry U and V.
fn verify_together(
    suite: &Suite,
    coefficients: Coefficients,
    claims: &[Claim<'_>],
) -> Vec<Verdict> {
    let mut group = Group::decode(suite, claims);
    group.hash_to_curve();
    group.challenge();

    let mut doubtful = Vec::new();
    let mut equations = Vec::with_capacity(group.members.len());
    group
        .members
        .retain(|member| match Equations::of(suite, member) {
            Some(pair) => {
                equations.push(pair);
                true
            }
            None => {
                doubtful.push(member.index);
                false
            }
        });

    let cofactor_gammas: Vec<_> = group
        .members
        .iter()
        .map(|member| member.gamma.mul_by_cofactor())
        .collect();
    let encoded = encode_all(&cofactor_gammas);
    let held = which_hold(coefficients, &group.members, &equations);
    for ((member, cofactor_gamma), held) in group.members.iter().zip(&encoded).zip(held) {
        if held {
            group.verdicts[member.index] = member.compare_output(suite, cofactor_gamma);
        } else {
            doubtful.push(member.index);
        }
    }

    let again: Vec<_> = doubtful.iter().map(|&index| claims[index]).collect();
    for (index, verdict) in doubtful.into_iter().zip(verify_each(suite, &again)) {
        group.verdicts[index] = verdict;
    }
    group.verdicts
}

/// For each member whether its equations are known to hold. If they do not all
/// hold together, they are tried in about √n parts of √n: so one culprit costs
/// one more pass and √n single verifications, and many culprits do not cost more
/// than that pass.
fn which_hold(
    coefficients: Coefficients,
    members: &[Member<'_>],
    equations: &[Equations],
) -> Vec<bool> {
    if all_hold(coefficients, members, equations) {
        return vec![true; members.len()];
    }
    let part = members.len().isqrt().max(1);
    members
        .chunks(part)
        .zip(equations.chunks(part))
        .flat_map(|(members, equations)| {
            // A part of one is verified alone anyway.
            let held = part > 1 && all_hold(coefficients, members, equations);
            core::iter::repeat_n(held, members.len())
        })
        .collect()
}

/// The two equations of a member, U = s·B + m·Y and V = s·H + m·Γ.
struct Equations {
    u: EdwardsPoint,
    v: EdwardsPoint,
    /// U - m·Y and V - m·Γ, up to a multiple of 8 in m: what must be free of
    /// torsion, since s·B and s·H are.
    residues: [EdwardsPoint; 2],
}

impl Equations {
    /// `None` if U or V does not decode strictly.
    fn of(suite: &Suite, member: &Member<'_>) -> Option<Self> {
        let (u, v) = match member.parts.commitment {
            Commitment::Points(u, v) | Commitment::Both(u, v, _) => (u, v),
            Commitment::Challenge(_) => return None,
        };
        let (u, v) = (point::decode_strict(u)?, point::decode_strict(v)?);
        let c = member.c[0] & 7;
        // m mod 8, where L ≡ 5 mod 8.
        let m = match suite.rules {
            Rules::Cardano if member.c == [0; 16] => 0,
            Rules::Cardano => 5u8.wrapping_sub(c) & 7,
            Rules::Rfc | Rules::Original => 0u8.wrapping_sub(c) & 7,
        };
        Some(Self {
            residues: [
                u - small_multiple(m, &member.key.point),
                v - small_multiple(m, &member.gamma),
            ],
            u,
            v,
        })
    }
}

/// m·P up to the torsion that 8 kills: m is from 0 to 7, the multiple taken is
/// from -3 to 4.
fn small_multiple(m: u8, point: &EdwardsPoint) -> EdwardsPoint {
    let double = || point + point;
    match m {
        0 => EdwardsPoint::default(),
        1 => *point,
        2 => double(),
        3 => double() + point,
        4 => double() + double(),
        5 => -(double() + point),
        6 => -double(),
        _ => -point,
    }
}

/// Do all equations of all members hold? Wrong with probability at most 2^-128
/// when the coefficients are out of the provers' reach.
fn all_hold(coefficients: Coefficients, members: &[Member<'_>], equations: &[Equations]) -> bool {
    let (weights, mut random) = coefficients.draw(members);

    let residues: Vec<_> = equations.iter().flat_map(|e| e.residues).collect();
    if !all_torsion_free(&residues, &mut random) {
        return false;
    }

    // Σ a·(s·B + m·Y - U) + b·(s·H + m·Γ - V), with the terms of B and of equal
    // keys merged.
    let mut base = Scalar::ZERO;
    let mut keys: BTreeMap<&[u8; 32], (Scalar, EdwardsPoint)> = BTreeMap::new();
    let mut scalars = Vec::with_capacity(5 * members.len() + 1);
    let mut points = Vec::with_capacity(5 * members.len() + 1);
    for ((member, equation), (a, b)) in members.iter().zip(equations).zip(weights) {
        // Modulo L both rules say -c; what they differ in is torsion.
        let m = -transcript::challenge_scalar(&member.c);
        base += a * member.s;
        keys.entry(member.key.as_bytes())
            .or_insert((Scalar::ZERO, member.key.point))
            .0 += a * m;
        scalars.extend([-a, b * member.s, b * m, -b]);
        points.extend([equation.u, member.h_point, member.gamma, equation.v]);
    }
    scalars.push(base);
    points.push(ED25519_BASEPOINT_POINT);
    for (scalar, point) in keys.into_values() {
        scalars.push(scalar);
        points.push(point);
    }
    let sum = EdwardsPoint::vartime_multiscalar_mul(scalars, points);
    // The cofactor multiplies the sum: folded into scalars mod L it would not
    // kill the torsion.
    sum.mul_by_cofactor().is_identity()
}
