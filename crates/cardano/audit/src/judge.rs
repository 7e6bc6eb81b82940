//! The judge of headers. It gives verdicts on VRF proofs, on the right of makers to lead, on certificates and
//! on KES signatures. In a certificate, a cold key signs a hot key. The hot key evolves once in each KES
//! period. In a KES signature, it signs a header, at the evolution that belongs to the header's slot.
//!
//! Proofs, certificates and signatures are each verified for many headers at once, and every header gets its
//! own verdicts. Two things depend on the chain and are not judged here: the nonce for which the proofs must
//! be valid, and the number that the certificate may have.

use std::collections::{BTreeMap, BTreeSet};

use klero::{Suite, Verifier};
use klero_cardano::{
    Block, Claim, Fault, Finding, Hash, KesPeriods, Lottery, Network, Place, Signing,
};
use klero_lanes::{engine, through};
use klero_leader::{Distribution, Leaders};

use crate::certificates::Certificates;
use crate::check::Check;
use crate::error::AuditError;
use crate::kes::verify_kes_on;
use crate::leaders::{Right, judge_maker};
use crate::tuning::{KEPT_CERTIFICATES, KEPT_KEYS};

/// A header to be judged.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub claims: &'a [Claim],
    /// The header's place, and its lottery with the maker's keys; `None` in Byron.
    pub made: Option<(&'a Place, &'a Lottery)>,
    /// The header's certificate and signature, and its bytes; `None` in Byron and if they are not read.
    pub signed: Option<(&'a Signing, &'a [u8])>,
}

/// The verdicts on a header. A check that is not made has no verdict.
#[derive(Clone, Default)]
pub(crate) struct Verdicts {
    /// One verdict for each claim.
    pub claims: Vec<Verdict>,
    /// The verdict on the maker's right to lead.
    pub right: Option<Right>,
    /// BLAKE2b-224 of the cold key, and the verdict on the certificate.
    pub certificate: Option<(Hash<28>, Verdict)>,
    /// The verdict on the KES signature. It is also invalid if the certificate does not cover the KES period.
    pub signature: Option<Verdict>,
}

/// A block with the verdicts on its header, or a finding.
pub(crate) type JudgedEvent = Result<(Box<Block>, Verdicts), Box<Finding>>;

pub(crate) type Verdict = Result<(), Fault>;

/// Makes the chosen checks on a network's headers. To save work, keeps keys and certificates it has seen.
pub(crate) struct Judge {
    pub network: Network,
    vrf: Option<Verifier>,
    /// The stake by epoch, if it was given.
    stake: Option<BTreeMap<u64, Leaders>>,
    certificates: Option<Certificates>,
    /// The KES periods of the network, if signatures are checked.
    periods: Option<KesPeriods>,
}

impl<'a> From<&'a Block> for Case<'a> {
    fn from(block: &'a Block) -> Self {
        let (lottery, signed) = (block.lottery.as_ref(), block.signed.as_ref());
        Self {
            claims: &block.claims,
            made: lottery.map(|lottery| (&block.place, lottery)),
            signed: signed.map(|signed| (&signed.signing, &signed.header[..])),
        }
    }
}

impl Judge {
    /// # Errors
    /// [`AuditError::KesPeriods`], if KES signatures are to be checked and the network has no KES periods.
    pub(crate) fn new(checks: &BTreeSet<Check>, network: Network) -> Result<Self, AuditError> {
        let has = |check| checks.contains(&check);
        Ok(Self {
            vrf: has(Check::Vrf).then(|| Verifier::new(Suite::PRAOS).keep_keys(KEPT_KEYS)),
            stake: None,
            certificates: has(Check::Certificates).then(|| Certificates::new(KEPT_CERTIFICATES)),
            periods: match has(Check::Kes) {
                true => Some(network.kes_periods().ok_or(AuditError::KesPeriods)?),
                false => None,
            },
            network,
        })
    }

    /// If VRF proofs are checked, also judges the right to lead, by the stake of these epochs.
    pub(crate) fn stake(self, stake: &BTreeMap<u64, Distribution>) -> Self {
        let f = self.network.active_slots();
        let epochs = stake.iter();
        let epochs = epochs.map(|(epoch, of)| (*epoch, Leaders::new(of, f)));
        Self {
            stake: self.vrf.is_some().then(|| epochs.collect()),
            ..self
        }
    }

    /// Judges headers on the calling thread. Returns the verdicts on each header, in order.
    pub(crate) fn judge(&self, cases: &[Case<'_>]) -> Vec<Verdicts> {
        let mut verdicts = vec![Verdicts::default(); cases.len()];
        if let Some(vrf) = &self.vrf {
            let claims: Vec<&Claim> = cases.iter().flat_map(|case| case.claims).collect();
            let mut judged = judge_claims(vrf, &claims).into_iter();
            for (case, verdicts) in cases.iter().zip(&mut verdicts) {
                verdicts.claims = judged.by_ref().take(case.claims.len()).collect();
            }
        }
        if let Some(stake) = &self.stake {
            for (case, verdicts) in cases.iter().zip(&mut verdicts) {
                let right = |made| judge_maker(&self.network, stake, made);
                verdicts.right = case.made.and_then(right);
            }
        }
        if let Some(known) = &self.certificates {
            let judged = judge_certificates(known, cases);
            for (verdicts, certificate) in verdicts.iter_mut().zip(judged) {
                verdicts.certificate = certificate;
            }
        }
        if let Some(periods) = self.periods {
            let judged = judge_signatures(periods, cases);
            for (verdicts, signature) in verdicts.iter_mut().zip(judged) {
                verdicts.signature = signature;
            }
        }
        verdicts
    }
}

/// Returns the verdict on each claim, in order.
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

/// Returns each header's issuer and the verdict on its certificate, in order; `None` without a certificate.
fn judge_certificates(
    known: &Certificates,
    cases: &[Case<'_>],
) -> Vec<Option<(Hash<28>, Verdict)>> {
    let certificates = cases.iter().map(|case| {
        let ((_, lottery), (signing, _)) = case.made.zip(case.signed).ok_or(())?;
        Ok::<_, ()>((lottery, &signing.certificate))
    });
    let judged = through(certificates.collect(), |certificates| {
        let claims = certificates.iter();
        let claims: Vec<_> = claims.map(|(by, of)| (&by.issuer_key, *of)).collect();
        known.verify(engine(), &claims)
    });
    let judged = judged.into_iter().map(|judged| {
        let ((lottery, _), verdict) = judged.ok()?;
        let verdict = verdict.map_err(|why| Fault::InvalidCertificate { why });
        Some((lottery.issuer(), verdict))
    });
    judged.collect()
}

/// Returns the verdict on each header's signature, in order; `None` without a signature.
fn judge_signatures(periods: KesPeriods, cases: &[Case<'_>]) -> Vec<Option<Verdict>> {
    let claims = cases.iter().map(|case| {
        let ((place, _), (signing, bytes)) = case.made.zip(case.signed).ok_or(None)?;
        let start = signing.certificate.start;
        let evolution = periods.evolution(place.slot, start);
        let evolution = evolution.ok_or_else(|| {
            Some(Fault::KesPeriod {
                period: periods.period(place.slot),
                first: start,
                end: periods.end(start),
            })
        })?;
        let claim = signing.claim(bytes, evolution);
        Ok::<_, Option<Fault>>(claim.expect("these bytes were decoded"))
    });
    let judged = through(claims.collect(), |claims| verify_kes_on(engine(), claims));
    let judged = judged.into_iter().map(|judged| match judged {
        Ok((_, verdict)) => Some(verdict.map_err(|why| Fault::InvalidKes { why })),
        Err(outside) => outside.map(Err),
    });
    judged.collect()
}
