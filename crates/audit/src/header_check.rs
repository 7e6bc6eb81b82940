//! Headers checked without a database: as they come in from peers, or from a file.
//!
//! A header is judged by what it contains, by the nonce of its epoch, and by the last certificate
//! number of its issuer. The caller has the last two, because they depend on the chain that the
//! header is to continue. All VRF proofs of a batch are verified together, and so are all
//! signatures and certificates; the verdicts are those of each header alone, in order.

use std::collections::BTreeMap;
use std::fmt;

use klero::{Suite, Verifier};
use klero_cardano::{
    BadHeader, BadNumber, Bounds, ClaimKind, Counters, Era, Header, KesPeriods, Leadership,
    Lottery, Network, Nonce, OutsidePeriods, Place, Signing,
};
use klero_lanes::engine;

use crate::certificates::Certificates;
use crate::kes::InvalidKes;
use crate::signatures::{NotSigned, SignedHeader, verify_certificates, verify_signatures};
use crate::tuning::{KEPT_CERTIFICATES, KEPT_KEYS};

/// Checks the headers of one network: VRF proofs, KES signatures, operational certificates with
/// their periods and numbers, the bound on leader values, and the era.
///
/// It keeps keys and certificates that it has seen, up to a bound (about 20 MB), and is meant to
/// be used for many batches, from any number of threads.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use klero_audit::{Failure, HeaderCheck, RawHeader};
/// use klero_cardano::{Counters, Network};
///
/// let check = HeaderCheck::new(Network::preview())?;
/// let headers = [RawHeader { tag: 6, bytes: &[0x82, 0x8a] }]; // from a peer
/// let nonces = BTreeMap::new();
/// let mut counters = Counters::since_any_block();
/// let verdicts = check.verify(&headers, &nonces, &mut counters);
/// assert!(!verdicts[0].is_valid());
/// assert!(matches!(verdicts[0].failures[..], [Failure::Header(_)]));
/// # Ok::<(), klero_audit::NoKesPeriods>(())
/// ```
///
/// The program `examples/headers.rs` checks a file of headers.
pub struct HeaderCheck {
    network: Network,
    periods: KesPeriods,
    certificates: Certificates,
    verifier: Verifier,
}

/// The genesis file of the network does not say how long KES keys live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Shelley genesis file has no slotsPerKESPeriod and maxKESEvolutions")]
pub struct NoKesPeriods;

/// A header as peers send it and blocks store it.
#[derive(Clone, Copy, Debug)]
pub struct RawHeader<'a> {
    /// The tag of a block of its era: 2 in Shelley to 7 in Conway.
    pub tag: u8,
    /// The header, in CBOR, alone: untrusted bytes of any length.
    pub bytes: &'a [u8],
}

/// What was found about a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderVerdict {
    /// The header, if it could be decoded.
    pub header: Option<Header>,
    /// The checks that it fails, in the order of [`Failure`]; none if it is valid.
    pub failures: Vec<Failure>,
    /// Which bounds of its certificate's number were judged; all, if the number is among the
    /// failures.
    pub bounds: Bounds,
}

/// A check that a header fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// It cannot be decoded.
    #[error(transparent)]
    Header(#[from] BadHeader),
    /// It is of Byron, whose headers have nothing that is checked here.
    #[error("a header of Byron")]
    Byron,
    /// Its era is not that of its epoch.
    #[error("{found} header in epoch {epoch}, which is not of that era")]
    Era {
        /// The epoch of its slot.
        epoch: u64,
        /// Its era, by the tag.
        found: Era,
    },
    /// The nonce of its epoch was not given, so its proofs could not be verified.
    #[error("the nonce of epoch {0} is not known")]
    NonceUnknown(u64),
    /// A VRF proof is invalid.
    #[error("invalid proof ({kind}): {reason}")]
    Proof {
        /// What it is for.
        kind: ClaimKind,
        /// Why it is invalid.
        reason: klero::Invalid,
    },
    /// The leader value is at or above f: no stake could lead with it.
    #[error("leader value not below f, so no stake could lead")]
    LeaderValue,
    /// The slot is in a period for which the certificate does not hold. The KES signature is not
    /// judged then.
    #[error(transparent)]
    Period(#[from] OutsidePeriods),
    /// The cold key did not sign the certificate.
    #[error("invalid operational certificate: {0}")]
    Certificate(klero_ed25519::Invalid),
    /// The hot key did not sign the header, or not at this evolution.
    #[error("invalid KES signature: {0}")]
    Signature(#[from] InvalidKes),
    /// The number of the certificate may not follow the last one.
    #[error(transparent)]
    Number(#[from] BadNumber),
}

impl HeaderVerdict {
    /// Whether every check was made that a header alone allows, and none failed.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.failures.is_empty()
    }
}

impl fmt::Debug for HeaderCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeaderCheck")
            .field("network", &self.network.name())
            .finish_non_exhaustive()
    }
}

impl HeaderCheck {
    /// A check for the headers of a network.
    ///
    /// # Errors
    /// [`NoKesPeriods`], for a network from an incomplete genesis file.
    pub fn new(network: Network) -> Result<Self, NoKesPeriods> {
        Ok(Self {
            periods: network.kes_periods().ok_or(NoKesPeriods)?,
            certificates: Certificates::new(KEPT_CERTIFICATES),
            network,
            verifier: Verifier::new(Suite::PRAOS).keep_keys(KEPT_KEYS),
        })
    }

    /// One verdict for each header, in order: the same in any batch. From eight headers on they
    /// fill the lanes of every processor.
    ///
    /// `nonces` are those of the epochs of the headers. `counters` are the last certificate
    /// numbers before the first header. The headers move them in the order given, which should be
    /// that of one chain: a valid one sets the number of its issuer, any other casts doubt
    /// ([`Counters::doubt`]). So the headers of peers on different chains come with counters of
    /// their own, and whoever rejects a chain puts back those from before it. Links between
    /// headers (hash, number, slot) and who may lead are not checked.
    #[must_use = "the verdicts are the result"]
    pub fn verify(
        &self,
        headers: &[RawHeader<'_>],
        nonces: &BTreeMap<u64, Nonce>,
        counters: &mut Counters,
    ) -> Vec<HeaderVerdict> {
        let (decoded, mut failures): (Vec<_>, Vec<_>) =
            headers.iter().map(|raw| self.decode(raw)).unzip();
        self.check_proofs(&decoded, nonces, &mut failures);
        self.check_signatures(headers, &decoded, &mut failures);
        let verdicts = decoded.into_iter().zip(failures);
        verdicts
            .map(|(header, failures)| conclude(header, failures, counters))
            .collect()
    }

    fn decode(&self, raw: &RawHeader<'_>) -> (Option<Header>, Vec<Failure>) {
        let length = self.network.byron_epoch_length();
        let header = match Header::decode(raw.tag, raw.bytes, length) {
            Ok(header) => header,
            Err(error) => return (None, vec![error.into()]),
        };
        let (found, epoch) = (header.place.era, self.network.epoch(header.place.slot));
        let mut failures = Vec::new();
        if found == Era::Byron {
            failures.push(Failure::Byron);
        }
        if !self.network.admits(found, epoch) {
            failures.push(Failure::Era { epoch, found });
        }
        (Some(header), failures)
    }

    /// The VRF proofs, and the leader values that they prove.
    fn check_proofs(
        &self,
        headers: &[Option<Header>],
        nonces: &BTreeMap<u64, Nonce>,
        failures: &mut [Vec<Failure>],
    ) {
        let mut claims = Vec::new();
        for (i, header) in headers.iter().enumerate() {
            let Some((place, lottery, _)) = header.as_ref().and_then(made) else {
                continue;
            };
            let epoch = self.network.epoch(place.slot);
            match nonces.get(&epoch) {
                Some(nonce) => {
                    let made = lottery.claims(place.slot, *nonce);
                    claims.extend(made.into_iter().map(|claim| (i, claim)));
                }
                None => failures[i].push(Failure::NonceUnknown(epoch)),
            }
        }
        let of_verifier: Vec<_> = claims.iter().map(|(_, claim)| claim.as_claim()).collect();
        let verdicts = self.verifier.verify_many(&of_verifier).verdicts;
        for ((i, claim), verdict) in claims.iter().zip(verdicts) {
            if let Err(reason) = verdict {
                let kind = claim.kind;
                failures[*i].push(Failure::Proof { kind, reason });
            }
        }
        for (header, failures) in headers.iter().zip(failures) {
            if let Some((place, lottery, _)) = header.as_ref().and_then(made)
                && Leadership::of(&self.network, place, Some(lottery)) == Leadership::AtOrAbove
            {
                failures.push(Failure::LeaderValue);
            }
        }
    }

    /// Periods, certificates and KES signatures.
    fn check_signatures(
        &self,
        raw: &[RawHeader<'_>],
        headers: &[Option<Header>],
        failures: &mut [Vec<Failure>],
    ) {
        let (mut places, mut signed) = (Vec::new(), Vec::new());
        for (i, (raw, header)) in raw.iter().zip(headers).enumerate() {
            if let Some((place, lottery, signing)) = header.as_ref().and_then(made) {
                places.push(i);
                signed.push(SignedHeader {
                    slot: place.slot,
                    issuer_key: &lottery.issuer_key,
                    signing,
                    bytes: raw.bytes,
                });
            }
        }
        let certificates = verify_certificates(&self.certificates, engine(), &signed);
        let signatures = verify_signatures(self.periods, engine(), &signed);
        for ((i, certificate), signature) in places.into_iter().zip(certificates).zip(signatures) {
            let (period, signature) = match signature {
                Ok(()) => (None, None),
                Err(NotSigned::Period(outside)) => (Some(outside), None),
                Err(NotSigned::Signature(invalid)) => (None, Some(invalid)),
            };
            let failures = &mut failures[i];
            failures.extend(period.map(Failure::Period));
            failures.extend(certificate.err().map(Failure::Certificate));
            failures.extend(signature.map(Failure::Signature));
        }
    }
}

/// The parts of a header that Byron's do not have.
fn made(header: &Header) -> Option<(&Place, &Lottery, &Signing)> {
    Some((
        &header.place,
        header.lottery.as_ref()?,
        header.signing.as_ref()?,
    ))
}

/// The verdict on a header, by the counters before it, which it moves.
fn conclude(
    header: Option<Header>,
    mut failures: Vec<Failure>,
    counters: &mut Counters,
) -> HeaderVerdict {
    let mut bounds = Bounds::None;
    let mut made_by = None;
    if let Some((place, lottery, signing)) = header.as_ref().and_then(made) {
        let (issuer, number) = (lottery.issuer(), signing.certificate.number);
        made_by = Some((issuer, number));
        bounds = counters
            .check(place.era.protocol(), issuer, number)
            .unwrap_or_else(|bad| {
                failures.push(bad.into());
                Bounds::All
            });
    }
    match made_by.filter(|_| failures.is_empty()) {
        Some((issuer, number)) => counters.set(issuer, number),
        None => counters.doubt(),
    }
    HeaderVerdict {
        header,
        failures,
        bounds,
    }
}
