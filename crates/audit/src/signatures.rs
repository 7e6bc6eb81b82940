//! What headers are signed with, for many headers at once: the certificate of the hot key by the
//! cold key, and the header by the hot key, at the evolution of its slot.

use klero_cardano::{Hash, KesPeriods, OutsidePeriods, Signing};
use klero_ed25519::{Engine, Verdict};

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
    let evolution = |header: &SignedHeader<'_>| {
        periods.evolution(header.slot, header.signing.certificate.start)
    };
    let evolutions: Vec<_> = headers.iter().map(evolution).collect();
    let mut claims = Vec::with_capacity(headers.len());
    for (header, evolution) in headers.iter().zip(&evolutions) {
        if let Ok(evolution) = evolution {
            let claim = header.signing.claim(header.bytes, *evolution);
            claims.push(claim.expect("these bytes were decoded"));
        }
    }
    let mut verdicts = verify_kes_on(engine, &claims).into_iter();
    let verdict = |evolution: Result<u64, OutsidePeriods>| {
        evolution.map_err(NotSigned::Period)?;
        let verdict = verdicts.next();
        let verdict = verdict.expect("a batch gives one verdict per claim");
        verdict.map_err(NotSigned::Signature)
    };
    evolutions.into_iter().map(verdict).collect()
}
