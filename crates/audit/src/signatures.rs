//! What headers are signed with, for many headers at once: the certificate of the hot key by the
//! cold key, and the header by the hot key, at the evolution of its slot.

use klero_cardano::{Hash, KesPeriods, OutsidePeriods, Signing};
use klero_ed25519::Verdict;
use klero_lanes::{Engine, through};

use crate::certificates::Certificates;
use crate::hash::blake2b;
use crate::kes::{InvalidKes, verify_kes_on};

/// A header that is signed.
#[derive(Clone, Copy)]
pub(crate) struct SignedHeader<'a> {
    pub slot: u64,
    pub issuer_key: &'a [u8; 32],
    pub signing: &'a Signing,
    /// The header that `signing` was decoded from.
    pub bytes: &'a [u8],
}

/// Why a header is not signed as it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotSigned {
    /// The certificate does not hold in the period of the slot. The signature is not judged then:
    /// the key has no evolution for it.
    Period(OutsidePeriods),
    Signature(InvalidKes),
}

/// The issuer of each header, BLAKE2b-224 of its key, in order.
pub(crate) fn issuers(engine: Engine, headers: &[SignedHeader<'_>]) -> Vec<Hash<28>> {
    let keys = headers.iter().map(|header| &header.issuer_key[..]);
    blake2b(engine, keys).into_iter().map(Hash::new).collect()
}

/// The verdict on the certificate of each header, in order.
pub(crate) fn verify_certificates(
    certificates: &Certificates,
    engine: Engine,
    headers: &[SignedHeader<'_>],
) -> Vec<Verdict> {
    let claims: Vec<_> = headers
        .iter()
        .map(|header| (header.issuer_key, &header.signing.certificate))
        .collect();
    certificates.verify(engine, &claims)
}

/// The verdict on the signature of each header, in order.
pub(crate) fn verify_signatures(
    periods: KesPeriods,
    engine: Engine,
    headers: &[SignedHeader<'_>],
) -> Vec<Result<(), NotSigned>> {
    let claims = headers.iter().map(|header| {
        let start = header.signing.certificate.start;
        let evolution = periods.evolution(header.slot, start);
        let evolution = evolution.map_err(NotSigned::Period)?;
        let claim = header.signing.claim(header.bytes, evolution);
        Ok(claim.expect("these bytes were decoded"))
    });
    let verdicts = through(claims.collect(), |claims| verify_kes_on(engine, claims));
    verdicts
        .into_iter()
        .map(|verdict| verdict?.1.map_err(NotSigned::Signature))
        .collect()
}
