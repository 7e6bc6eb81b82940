//! Checks headers that are not in a database, such as headers from peers or from a file.
//!
//! A header is judged by its content, by the nonce of its epoch, and by the last certificate number of its
//! issuer. The caller supplies the nonce and the number, because they depend on the chain that the header is
//! to continue. The headers of a batch are judged together, with the same verdicts as if they were judged one
//! by one in their order.

use std::collections::BTreeMap;
use std::fmt;

use klero_cardano::{
    BadHeader, Bounds, Claim, Counters, Era, Fault, Header, Leadership, Lottery, Network, Nonce,
    Place, Signing,
};
use klero_leader::Distribution;

use crate::check::Check;
use crate::error::AuditError;
use crate::judge::{Case, Judge, Verdicts};

/// Checks the headers of one network: VRF proofs, KES signatures, operational certificates with
/// their periods and numbers, the bound on leader values, and the era.
///
/// To save work, it keeps keys and certificates that it has seen, up to a bound (about 20 MB). So use one
/// `HeaderCheck` for many batches. Any number of threads can use it at the same time.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use klero_audit::{HeaderCheck, RawHeader};
/// use klero_cardano::{Counters, Fault, Network};
///
/// let check = HeaderCheck::new(Network::preview())?;
/// let headers = [RawHeader { tag: 6, bytes: &[0x82, 0x8a] }]; // from a peer
/// let nonces = BTreeMap::new();
/// let mut counters = Counters::since_any_block();
/// let verdicts = check.verify(&headers, &nonces, &mut counters);
/// assert!(!verdicts[0].is_valid());
/// assert!(matches!(verdicts[0].faults[..], [Fault::BadHeader { .. }]));
/// # Ok::<(), klero_audit::AuditError>(())
/// ```
///
/// The program `examples/headers.rs` checks a file of headers.
pub struct HeaderCheck {
    judge: Judge,
}

/// A header as peers send it and blocks store it.
#[derive(Clone, Copy, Debug)]
pub struct RawHeader<'a> {
    /// The era tag that a block with this header is stored with: from 2 (Shelley) to 7 (Conway), and 8 in
    /// Dijkstra. Peers send headers with era numbers that are one less than the tag, so add 1.
    pub tag: u8,
    /// The CBOR of the header, without the rest of its block. The bytes are untrusted and of any length.
    pub bytes: &'a [u8],
}

/// The verdict on a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderVerdict {
    /// The header, if it could be decoded.
    pub header: Option<Header>,
    /// The place of the header, if only its place could be decoded.
    pub place: Option<Place>,
    /// The faults of the header, in the order of the checks. A valid header has none.
    pub faults: Vec<Fault>,
    /// The bounds that the number of the certificate was checked against: [`Bounds::All`] if `faults` has a
    /// [`Fault::CertificateNumber`].
    pub bounds: Bounds,
    /// True if the maker's right to lead was judged, by the stake of the epoch or by the turns of the genesis
    /// delegates. If false, the leader value was only compared with f.
    pub judged_by_stake: bool,
}

impl HeaderVerdict {
    /// True if every check that is possible without the rest of the chain was made, and none failed.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    /// True if the header is of an era whose header format can still change before the era begins. After such
    /// a change, the verdict on the same header, valid or not, may be different. See
    /// [`Era::is_experimental`].
    #[must_use]
    pub fn is_experimental(&self) -> bool {
        let header = self.header.as_ref();
        header.is_some_and(|header| header.place.era.is_experimental())
    }
}

impl fmt::Debug for HeaderCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeaderCheck")
            .field("network", &self.judge.network.name())
            .finish_non_exhaustive()
    }
}

impl HeaderCheck {
    /// Creates a check for the headers of a network.
    ///
    /// # Errors
    /// [`AuditError::KesPeriods`], if the network comes from an incomplete genesis file.
    pub fn new(network: Network) -> Result<Self, AuditError> {
        let judge = Judge::new(&Check::ALL.into(), network)?;
        Ok(Self { judge })
    }

    /// Also checks the right to lead, by the stake of these epochs. The issuer must be a pool with stake, and
    /// its leader value must be below its threshold. If the stake comes with VRF keys, the issuer's VRF key
    /// must be the registered one. Without VRF keys, it is not checked that a pool has one VRF key in an
    /// epoch. Before Babbage, the turns of the genesis delegates are also checked, in every epoch for which
    /// the network knows d, their share of the slots ([`Network::set_decentralization`]). If neither of these
    /// checks applies to a header, the right to lead is not judged ([`HeaderVerdict::judged_by_stake`]).
    #[must_use]
    pub fn stake(self, stake: &BTreeMap<u64, Distribution>) -> Self {
        let judge = self.judge.stake(stake);
        Self { judge }
    }

    /// Returns one verdict for each header, in order. No verdict depends on how headers are divided into
    /// batches. For speed, a batch should have at least eight headers, which fill the lanes of any processor.
    ///
    /// `nonces` has nonces by epoch. For an epoch that is missing there, the network's known nonce is used,
    /// if there is one ([`Network::known_nonce`]). `counters` has the last certificate numbers before the
    /// first header. The headers update these numbers in the given order, which should be the order of one
    /// chain. A valid header sets the number of its issuer. An invalid one casts doubt on upper bounds
    /// ([`Counters::doubt`]). So headers of peers on different chains need separate counters, and a caller
    /// that rejects a chain must restore the counters as they were before it. Links between headers (hash,
    /// number, slot) are not checked. The right to lead is checked only after [`stake`](Self::stake).
    #[must_use = "the verdicts are the result"]
    pub fn verify(
        &self,
        headers: &[RawHeader<'_>],
        nonces: &BTreeMap<u64, Nonce>,
        counters: &mut Counters,
    ) -> Vec<HeaderVerdict> {
        let decoded = headers.iter().map(|raw| self.decode(raw, nonces));
        let (mut verdicts, claims): (Vec<_>, Vec<_>) = decoded.unzip();
        let cases: Vec<_> = headers
            .iter()
            .zip(verdicts.iter().zip(&claims))
            .map(|(raw, (verdict, claims))| {
                let made = verdict.header.as_ref().and_then(made);
                Case {
                    claims,
                    made: made.map(|(place, lottery, _)| (place, lottery)),
                    signed: made.map(|(_, _, signing)| (signing, raw.bytes)),
                }
            })
            .collect();
        let judged = self.judge.judge(&cases);
        for (verdict, judged) in verdicts.iter_mut().zip(judged) {
            self.conclude(verdict, judged, counters);
        }
        verdicts
    }

    /// Decodes a header and makes its claims. The verdict has the faults that are found without verifying
    /// claims.
    fn decode(
        &self,
        raw: &RawHeader<'_>,
        nonces: &BTreeMap<u64, Nonce>,
    ) -> (HeaderVerdict, Vec<Claim>) {
        let network = &self.judge.network;
        let mut verdict = HeaderVerdict {
            header: None,
            place: None,
            faults: Vec::new(),
            bounds: Bounds::None,
            judged_by_stake: false,
        };
        let mut claims = Vec::new();
        let header = match Header::decode(raw.tag, raw.bytes, network.byron_epoch_length()) {
            Ok(header) => header,
            Err(BadHeader { reason: why, place }) => {
                verdict.place = place;
                verdict.faults.push(Fault::BadHeader { why });
                return (verdict, claims);
            }
        };
        let (found, epoch) = (header.place.era, network.epoch(header.place.slot));
        if found == Era::Byron {
            let why = "it is of Byron".into();
            verdict.faults.push(Fault::BadHeader { why });
        }
        if !network.admits(found, epoch) {
            let before = None;
            verdict.faults.push(Fault::Era { found, before });
        }
        if let Some((place, lottery, _)) = made(&header) {
            let given = nonces.get(&epoch).copied();
            match given.or_else(|| network.known_nonce(epoch)) {
                Some(nonce) => claims = lottery.claims(place.slot, nonce),
                None => verdict.faults.push(Fault::NonceUnknown {}),
            }
        }
        verdict.header = Some(header);
        (verdict, claims)
    }

    /// Adds the results of the judge and the counters to a verdict, and then updates the counters.
    fn conclude(&self, verdict: &mut HeaderVerdict, judged: Verdicts, counters: &mut Counters) {
        let faults = &mut verdict.faults;
        let mut made_by = None;
        verdict.judged_by_stake = judged.right.is_some();
        faults.extend(judged.claims.into_iter().filter_map(Result::err));
        if let Some((place, lottery, signing)) = verdict.header.as_ref().and_then(made) {
            let (issuer, certified) = judged.certificate.expect("all checks are made");
            if Leadership::of(&self.judge.network, place, Some(lottery)) == Leadership::AtOrAbove {
                faults.push(Fault::LeaderValue {});
            }
            faults.extend(judged.right.and_then(Result::err));
            let (signature, certified) = (judged.signature.and_then(Result::err), certified.err());
            faults.extend(
                match signature {
                    Some(Fault::KesPeriod { .. }) => [signature, certified],
                    _ => [certified, signature],
                }
                .into_iter()
                .flatten(),
            );
            let number = signing.certificate.number;
            made_by = Some((issuer, number));
            verdict.bounds = counters
                .check(place.era.protocol(), issuer, number)
                .unwrap_or_else(|last_number| {
                    let found = number;
                    faults.push(Fault::CertificateNumber { last_number, found });
                    Bounds::All
                });
        }
        match made_by.filter(|_| faults.is_empty()) {
            Some((issuer, number)) => counters.set(issuer, number),
            None => counters.doubt(),
        }
    }
}

/// The place, lottery and signing of a header; `None` in Byron, where headers have no lottery or signing.
fn made(header: &Header) -> Option<(&Place, &Lottery, &Signing)> {
    Some((
        &header.place,
        header.lottery.as_ref()?,
        header.signing.as_ref()?,
    ))
}
