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
use alloc::vec::Vec;

use curve25519_dalek::scalar::Scalar;
use klero_lanes::{Engine, Point};

use crate::backend::Backend;
use crate::coefficients::Coefficients;
use crate::point;
use crate::suite::{ProofForm, Rules, Suite};
use crate::threads::in_groups;
use crate::transcript;
use crate::verify::{self, Claim, Group, Member, Verdict, encode_all, verify_each};

/// How many claims are verified as one group: enough for the multiscalar
/// multiplication to reach its best rate, and little memory however many claims
/// there are.
const GROUP: usize = 2048;

/// A batch of claims of one suite: any number, mixed keys, mixed sizes of alpha.
///
/// Push borrows the claims' bytes; nothing is computed before [`verify`](Self::verify).
///
/// ```
/// use klero::{Batch, Claim, Invalid, SecretKey, Suite};
/// let suite = Suite::RFC9381_ELL2_BC;
/// let key = SecretKey::from_seed(suite, &[7; 32]);
/// let alphas: Vec<_> = (0..20u8).map(|i| [i]).collect();
/// let proofs = key.prove_many(&alphas);
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
    backend: Backend,
    coefficients: Coefficients,
    sum_from: usize,
    claims: Vec<Claim<'a>>,
}

impl<'a> Batch<'a> {
    /// An empty batch.
    pub fn new(suite: Suite) -> Self {
        let backend = Backend::default();
        Self {
            suite,
            backend,
            coefficients: Coefficients::Hashed,
            sum_from: backend.sum_from(),
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

    /// Uses this backend; no verdict changes by it.
    pub fn with_backend(self, backend: Backend) -> Self {
        Self {
            backend,
            sum_from: backend.sum_from(),
            ..self
        }
    }

    /// Verifies groups of at least this many claims by a sum, smaller ones one at a time. For
    /// tests: no verdict changes by it, but each way must be tried at every size.
    #[doc(hidden)]
    pub fn with_sum_from(self, sum_from: usize) -> Self {
        Self { sum_from, ..self }
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
    /// needs memory for 2048 claims on each thread (about 6.5 MB), however many there
    /// are. Sums are made where they pay: of 24 (portable) to 256 claims (IFMA) or
    /// more. If all of these are invalid they cost two to three and a half times
    /// what they cost one at a time.
    ///
    /// With the feature `rayon` the groups run on the threads of the current pool.
    pub fn verify(&self) -> Vec<Verdict> {
        let verdicts = |judged: Judged| judged.verdicts;
        self.judge().into_iter().flat_map(verdicts).collect()
    }

    /// How many claims were verified once more, alone, because a sum did not hold. For
    /// tests: no verdict would show that sums fail which should not.
    #[doc(hidden)]
    pub fn count_doubtful(&self) -> usize {
        self.judge().iter().map(|judged| judged.doubtful).sum()
    }

    fn judge(&self) -> Vec<Judged> {
        let size = if self.has_sums() {
            GROUP
        } else {
            verify::GROUP
        };
        in_groups(&self.claims, size, |claims| self.judge_group(claims))
    }

    fn has_sums(&self) -> bool {
        matches!(
            self.suite.proof_form,
            ProofForm::GammaUVS | ProofForm::GammaUVCS
        )
    }

    fn judge_group(&self, claims: &[Claim<'_>]) -> Judged {
        let Backend(engine) = self.backend;
        if self.has_sums() && claims.len() >= self.sum_from {
            verify_together(engine, self.suite, self.coefficients, claims)
        } else {
            Judged {
                verdicts: verify_each(engine, self.suite, claims),
                doubtful: 0,
            }
        }
    }
}

/// The verdicts on a group, and how many of its claims had to be verified alone.
struct Judged {
    verdicts: Vec<Verdict>,
    doubtful: usize,
}

impl<'a> Extend<Claim<'a>> for Batch<'a> {
    fn extend<I: IntoIterator<Item = Claim<'a>>>(&mut self, claims: I) {
        self.claims.extend(claims);
    }
}

/// Verifies a group of claims that carry U and V.
fn verify_together(
    engine: Engine,
    suite: Suite,
    coefficients: Coefficients,
    claims: &[Claim<'_>],
) -> Judged {
    let mut group = Group::decode(engine, suite, claims);
    group.normalize_h();
    group.challenge();

    let equations = Equations::of(engine, suite, &group);
    let held = which_hold(engine, suite, coefficients, &group.members, &equations);
    let gammas = group.each(|member| member.gamma);
    let mut cofactor_gammas = gammas.clone();
    engine.mul_by_cofactor(&gammas, &mut cofactor_gammas);
    let outputs = transcript::outputs(engine, suite, &encode_all(engine, &cofactor_gammas));

    let mut doubtful = Vec::new();
    for ((member, output), held) in group.members.iter().zip(outputs).zip(held) {
        if held {
            group.verdicts[member.index] = member.compare_output(output);
        } else {
            doubtful.push(member.index);
        }
    }

    let again: Vec<_> = doubtful.iter().map(|&index| claims[index]).collect();
    let verdicts = verify_each(engine, suite, &again);
    for (index, verdict) in doubtful.into_iter().zip(verdicts) {
        group.verdicts[index] = verdict;
    }
    Judged {
        verdicts: group.verdicts,
        doubtful: again.len(),
    }
}

/// For each member whether its equations are known to hold. If they do not all
/// hold together, they are tried in about √n parts of √n: so one culprit costs
/// one more pass and √n single verifications, and many culprits do not cost more
/// than that pass.
fn which_hold(
    engine: Engine,
    suite: Suite,
    coefficients: Coefficients,
    members: &[Member<'_>],
    equations: &[Option<Equations>],
) -> Vec<bool> {
    // A member whose U or V is no point is out before the sum.
    let (strict, mut held): (Vec<_>, Vec<_>) = members
        .iter()
        .zip(equations)
        .filter_map(|(member, equation)| Some((member, equation.as_ref()?)))
        .zip(core::iter::repeat(false))
        .unzip();
    if all_hold(engine, suite, coefficients, &strict) {
        held.fill(true);
    } else {
        let part = strict.len().isqrt();
        // A part of one is verified alone anyway.
        if part > 1 {
            for (strict, held) in strict.chunks(part).zip(held.chunks_mut(part)) {
                held.fill(all_hold(engine, suite, coefficients, strict));
            }
        }
    }
    let mut held = held.into_iter();
    equations
        .iter()
        .map(|equation| equation.is_some() && held.next() == Some(true))
        .collect()
}

/// What the two equations of a member are checked by.
struct Equations {
    /// U - m'·Y and V - m'·Γ, where m' is m mod 8 and small: what must be free of
    /// torsion, since s·B and s·H are. Z = 1.
    residues: [Point; 2],
    /// m' - m modulo L: the multiplier that is left, the other way round.
    rest: Scalar,
}

impl Equations {
    /// For each member; `None` if U or V does not decode strictly.
    fn of(engine: Engine, suite: Suite, group: &Group<'_>) -> Vec<Option<Self>> {
        let encodings: Vec<[u8; 32]> = group
            .members
            .iter()
            .flat_map(|member| {
                let points = member.parts.commitment.points();
                points.map_or([[0; 32]; 2], |points| points.map(|point| *point))
            })
            .collect();
        let decoded: Vec<_> = point::decode(engine, &encodings)
            .into_iter()
            .zip(&encodings)
            .map(|(point, encoding)| point.ok().filter(|_| !point::is_second_encoding(encoding)))
            .collect();
        let points: Vec<_> = decoded
            .iter()
            .map(|point| point.unwrap_or(Point::IDENTITY))
            .collect();
        let small: Vec<i8> = group
            .members
            .iter()
            .flat_map(|member| [small_multiplier(suite, member); 2])
            .collect();
        let bases: Vec<_> = group
            .members
            .iter()
            .flat_map(|member| [member.key.point, member.gamma])
            .collect();
        let mut residues = points.clone();
        engine.sub_small_multiple(&points, &small, &bases, &mut residues);
        engine.normalize(&mut residues);
        group
            .members
            .iter()
            .enumerate()
            .map(|(i, member)| {
                (decoded[2 * i].is_some() && decoded[2 * i + 1].is_some()).then(|| {
                    let c = transcript::challenge_scalar(&member.c);
                    let magnitude = Scalar::from(small[2 * i].unsigned_abs());
                    Self {
                        residues: [residues[2 * i], residues[2 * i + 1]],
                        // Modulo L both rules say -c; they differ in torsion.
                        rest: if small[2 * i] < 0 {
                            c - magnitude
                        } else {
                            c + magnitude
                        },
                    }
                })
            })
            .collect()
    }
}

/// The multiplier of Y and Γ modulo 8, from -3 to 4: all that torsion sees of it.
fn small_multiplier(suite: Suite, member: &Member<'_>) -> i8 {
    let c = (member.c[0] & 7) as i8;
    let m = match suite.rules {
        Rules::Cardano if member.c == [0; 16] => 0,
        // L = 5 mod 8.
        Rules::Cardano => 5 - c,
        Rules::Rfc | Rules::Original => -c,
    };
    (m + 3).rem_euclid(8) - 3
}

/// Do all equations of all members hold? Wrong with probability at most 2^-128
/// when the coefficients are out of the provers' reach.
fn all_hold(
    engine: Engine,
    suite: Suite,
    coefficients: Coefficients,
    members: &[(&Member<'_>, &Equations)],
) -> bool {
    let weights = coefficients.draw(suite, members.iter().map(|(member, _)| *member));
    let residues: Vec<_> = members.iter().flat_map(|(_, e)| e.residues).collect();
    let (weighted, torsion_free) = engine.random_combination(&residues, weights.as_flattened());
    if !torsion_free {
        return false;
    }

    // Σ a·(U - m'·Y) + b·(V - m'·Γ) - a·(s·B - rest·Y) - b·(s·H - rest·Γ), with the
    // terms of B and of equal keys merged.
    let mut base = Scalar::ZERO;
    let mut keys: BTreeMap<&[u8; 32], (Scalar, Point)> = BTreeMap::new();
    let mut scalars = Vec::with_capacity(3 * members.len() + 1);
    let mut points = Vec::with_capacity(3 * members.len() + 1);
    for ((member, equation), [a, b]) in members.iter().zip(&weights) {
        let [a, b] = [a, b].map(|weight| Scalar::from(u128::from_le_bytes(*weight)));
        base -= a * member.s;
        keys.entry(member.key.as_bytes())
            .or_insert((Scalar::ZERO, member.key.point))
            .0 += a * equation.rest;
        // A difference is cheaper than a negation, which reduces what is reduced.
        let of_h = Scalar::ZERO - b * member.s;
        scalars.extend([of_h, b * equation.rest].map(|scalar| scalar.to_bytes()));
        points.extend([member.h_point, member.gamma]);
    }
    scalars.push(base.to_bytes());
    points.push(Point::BASE);
    for (scalar, point) in keys.into_values() {
        scalars.push(scalar.to_bytes());
        points.push(point);
    }
    // The cofactor multiplies the sum: folded into scalars mod L it would not kill
    // the torsion.
    engine
        .multiscalar_mul(&points, &scalars, 253)
        .plus(&weighted)
        .is_small_order()
}
