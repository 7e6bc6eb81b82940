//! Headers checked without a database: as they come in from peers, or from a file.
//!
//! A header is judged by its content, by the nonce of its epoch, and by the last certificate number of its
//! issuer. The caller supplies the last two, because they depend on the chain that the header is to continue.
//! The headers of a batch are judged together; each gets the verdict that it would get if the headers came
//! one by one.

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
/// It keeps keys and certificates that it has seen, up to a bound (about 20 MB), and is meant to
/// be used for many batches, from any number of threads.
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
    /// The tag of a stored block of its era: 2 in Shelley to 7 in Conway, and 8 in Dijkstra. The numbers of
    /// eras in the headers that peers send are one less: add 1.
    pub tag: u8,
    /// The header alone, in CBOR: untrusted bytes of any length.
    pub bytes: &'a [u8],
}

/// The verdict on a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderVerdict {
    /// The header, if it could be decoded.
    pub header: Option<Header>,
    /// The place of a header that could not be decoded, if at least its place could.
    pub place: Option<Place>,
    /// Its faults, in the order in which they are looked for; none if it is valid.
    pub faults: Vec<Fault>,
    /// The bounds of its certificate's number that were judged; all, if the number is among the faults.
    pub bounds: Bounds,
    /// True if the maker's right to lead was judged, by the stake of the epoch or by the turns of the genesis
    /// delegates. If false, the leader value was compared with f alone.
    pub judged_by_stake: bool,
}

impl HeaderVerdict {
    /// True if every check was made that a header alone allows, and none failed.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }

    /// True if the header is of an era whose headers are in flux: the verdict, valid or not, may be another
    /// once the era begins. See [`Era::is_experimental`].
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
    /// A check for the headers of a network.
    ///
    /// # Errors
    /// [`AuditError::KesPeriods`], for a network from an incomplete genesis file.
    pub fn new(network: Network) -> Result<Self, AuditError> {
        let judge = Judge::new(&Check::ALL.into(), network)?;
        Ok(Self { judge })
    }

    /// Also checks who may lead, by the stake of these epochs: the issuer must be a pool with stake, its VRF
    /// key the registered one, where the stake comes with VRF keys, and its leader value below its threshold.
    /// Before Babbage this includes the turns of the genesis delegates, in every epoch for which the network
    /// knows d ([`Network::set_decentralization`]). In other headers the right to lead is not judged
    /// ([`HeaderVerdict::judged_by_stake`]).
    ///
    /// Not checked: that a pool has one VRF key in an epoch. Stake without VRF keys leaves this open.
    #[must_use]
    pub fn stake(self, stake: &BTreeMap<u64, Distribution>) -> Self {
        let judge = self.judge.stake(stake);
        Self { judge }
    }

    /// Returns one verdict for each header, in order: the same in any batch. Eight headers or more fill the
    /// lanes of every processor.
    ///
    /// `nonces` are by epoch; where one is missing, the network's known nonce is taken, if there is one
    /// ([`Network::known_nonce`]). `counters` are the last certificate numbers before the first header. The
    /// headers move them in the order given, which should be the order of one chain: a valid header sets the
    /// number of its issuer, any other casts doubt ([`Counters::doubt`]). So headers of peers on different
    /// chains need counters of their own, and a caller that rejects a chain must restore the counters from
    /// before it. Links between headers (hash, number, slot) are not checked, nor, without
    /// [`stake`](Self::stake), who may lead.
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

    /// Decodes a header, and makes its claims. The verdict has the faults found before claims are verified.
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

    /// Completes the verdict on a header with the counters before it, and moves the counters.
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

/// The place of a header, and the parts that headers of Byron lack.
fn made(header: &Header) -> Option<(&Place, &Lottery, &Signing)> {
    Some((
        &header.place,
        header.lottery.as_ref()?,
        header.signing.as_ref()?,
    ))
}
