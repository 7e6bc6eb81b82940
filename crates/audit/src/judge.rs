//! The judge of headers: verdicts on their VRF proofs, on the certificates of their hot keys by the
//! cold keys, and on their signatures by the hot keys, at the evolutions of their slots.
//!
//! Each kind is verified for many headers at once, and every header gets its own verdicts. What
//! depends on the chain is not judged here: by which nonce the proofs are to be valid, and which
//! number a certificate may have.

use std::collections::BTreeSet;

use klero::{Suite, Verifier};
use klero_cardano::{Block, Claim, Fault, Hash, KesPeriods, Lottery, Network, Place, Signing};
use klero_lanes::{engine, through};

use crate::certificates::Certificates;
use crate::check::Check;
use crate::error::AuditError;
use crate::hash::blake2b;
use crate::kes::verify_kes_on;
use crate::leaders::{Right, Stakes};
use crate::tuning::{KEPT_CERTIFICATES, KEPT_KEYS};

/// A header to be judged.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub claims: &'a [Claim],
    /// Where it is, and who made it.
    pub made: Option<(&'a Place, &'a Lottery)>,
    pub signed: Option<SignedHeader<'a>>,
}

/// A header that is signed.
#[derive(Clone, Copy)]
pub(crate) struct SignedHeader<'a> {
    pub slot: u64,
    pub issuer_key: &'a [u8; 32],
    pub signing: &'a Signing,
    /// The header that `signing` was decoded from.
    pub bytes: &'a [u8],
}

/// The verdicts on a header. There are none on what is not checked.
#[derive(Clone, Default)]
pub(crate) struct Verdicts {
    /// One for each claim.
    pub claims: Vec<Verdict>,
    /// Whether its maker may lead.
    pub right: Option<Result<Right, Fault>>,
    pub certificate: Option<Certified>,
    /// A signature in a period for which the certificate does not hold is invalid.
    pub signature: Option<Verdict>,
}

/// The verdict on a certificate.
#[derive(Clone)]
pub(crate) struct Certified {
    /// BLAKE2b-224 of the cold key.
    pub issuer: Hash<28>,
    pub verdict: Verdict,
}

pub(crate) type Verdict = Result<(), Fault>;

/// Makes some checks of the headers of a network. It keeps keys and certificates that it has seen.
pub(crate) struct Judge {
    vrf: Option<Verifier>,
    /// The stake, if it was given.
    stakes: Option<Stakes>,
    certificates: Option<Certificates>,
    /// The network's, if signatures are checked.
    periods: Option<KesPeriods>,
}

impl<'a> From<&'a Block> for Case<'a> {
    fn from(block: &'a Block) -> Self {
        Self {
            claims: &block.claims,
            made: block
                .lottery
                .as_ref()
                .map(|lottery| (&block.place, lottery)),
            signed: block.signed.as_ref().map(|signed| SignedHeader {
                slot: block.place.slot,
                issuer_key: &signed.issuer_key,
                signing: &signed.signing,
                bytes: &signed.header,
            }),
        }
    }
}

impl Judge {
    /// # Errors
    /// [`AuditError::KesPeriods`], if KES signatures are to be checked.
    pub(crate) fn new(checks: &BTreeSet<Check>, network: &Network) -> Result<Self, AuditError> {
        let has = |check| checks.contains(&check);
        Ok(Self {
            vrf: has(Check::Vrf).then(|| Verifier::new(Suite::PRAOS).keep_keys(KEPT_KEYS)),
            stakes: None,
            certificates: has(Check::Certificates).then(|| Certificates::new(KEPT_CERTIFICATES)),
            periods: match has(Check::Kes) {
                true => Some(network.kes_periods().ok_or(AuditError::KesPeriods)?),
                false => None,
            },
        })
    }

    /// Judges who may lead, too, by the stake of some epochs. It belongs to the check of VRF proofs.
    pub(crate) fn stakes(self, stakes: Option<Stakes>) -> Self {
        let stakes = stakes.filter(|_| self.vrf.is_some());
        Self { stakes, ..self }
    }

    /// The verdicts on each header, in order: the same in any batch. On the calling thread.
    pub(crate) fn judge(&self, cases: &[Case<'_>]) -> Vec<Verdicts> {
        let mut verdicts = vec![Verdicts::default(); cases.len()];
        if let Some(vrf) = &self.vrf {
            judge_proofs(vrf, cases, &mut verdicts);
        }
        if let Some(stakes) = &self.stakes {
            let made = cases.iter().zip(&mut verdicts);
            let made = made.filter_map(|(case, verdicts)| Some((case.made?, verdicts)));
            let (headers, mut of_made): (Vec<_>, Vec<_>) = made.unzip();
            for (verdicts, right) in each(&mut of_made, stakes.judge(&headers)) {
                verdicts.right = right;
            }
        }
        let signed = cases.iter().zip(&mut verdicts);
        let signed = signed.filter_map(|(case, verdicts)| Some((case.signed?, verdicts)));
        let (headers, mut of_signed): (Vec<_>, Vec<_>) = signed.unzip();
        if let Some(certificates) = &self.certificates {
            let judged = judge_certificates(certificates, &headers);
            for (verdicts, certificate) in each(&mut of_signed, judged) {
                verdicts.certificate = Some(certificate);
            }
        }
        if let Some(periods) = self.periods {
            let judged = judge_signatures(periods, &headers);
            for (verdicts, signature) in each(&mut of_signed, judged) {
                verdicts.signature = Some(signature);
            }
        }
        verdicts
    }
}

/// Each header with what is judged of it. A verdict that was lost would count as not checked.
fn each<T, U>(headers: &mut [T], judged: Vec<U>) -> impl Iterator<Item = (&mut T, U)> {
    assert_eq!(headers.len(), judged.len(), "one verdict for each header");
    headers.iter_mut().zip(judged)
}

fn judge_proofs(vrf: &Verifier, cases: &[Case<'_>], verdicts: &mut [Verdicts]) {
    let claims: Vec<&Claim> = cases.iter().flat_map(|case| case.claims).collect();
    let mut judged = judge_claims(vrf, &claims).into_iter();
    for (case, verdicts) in cases.iter().zip(verdicts) {
        verdicts.claims = judged.by_ref().take(case.claims.len()).collect();
    }
}

/// The verdict on each claim, in order.
pub(crate) fn judge_claims(vrf: &Verifier, claims: &[&Claim]) -> Vec<Verdict> {
    let for_verifier: Vec<_> = claims.iter().map(|claim| claim.as_claim()).collect();
    let judged = vrf.verify_many(&for_verifier).verdicts;
    assert_eq!(judged.len(), claims.len(), "one verdict for each claim");
    let judged = claims.iter().zip(judged);
    judged
        .map(|(claim, verdict)| match verdict {
            Ok(_) => Ok(()),
            Err(why) => Err(Fault::InvalidProof {
                proof: claim.kind,
                why,
            }),
        })
        .collect()
}

/// The verdict on the certificate of each header, in order.
fn judge_certificates(known: &Certificates, headers: &[SignedHeader<'_>]) -> Vec<Certified> {
    let keys = headers.iter().map(|header| &header.issuer_key[..]);
    let issuers = blake2b(engine(), keys).into_iter().map(Hash::new);
    let claims: Vec<_> = headers
        .iter()
        .map(|header| (header.issuer_key, &header.signing.certificate))
        .collect();
    let verdicts = issuers.zip(known.verify(engine(), &claims));
    verdicts
        .map(|(issuer, verdict)| Certified {
            issuer,
            verdict: verdict.map_err(|why| Fault::InvalidCertificate { why }),
        })
        .collect()
}

/// The verdict on the signature of each header, in order.
fn judge_signatures(periods: KesPeriods, headers: &[SignedHeader<'_>]) -> Vec<Verdict> {
    let claims = headers.iter().map(|header| {
        let start = header.signing.certificate.start;
        let evolution = periods.evolution(header.slot, start);
        let evolution = evolution.ok_or_else(|| Fault::KesPeriod {
            period: periods.period(header.slot),
            first: start,
            end: periods.end(start),
        })?;
        let claim = header.signing.claim(header.bytes, evolution);
        Ok::<_, Fault>(claim.expect("these bytes were decoded"))
    });
    let verdicts = through(claims.collect(), |claims| verify_kes_on(engine(), claims));
    verdicts
        .into_iter()
        .map(|verdict| verdict?.1.map_err(|why| Fault::InvalidKes { why }))
        .collect()
}
