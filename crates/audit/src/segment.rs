//! A segment of the chain: what is verified together.

use std::collections::BTreeSet;
use std::vec;

use klero::{Suite, Verdict, Verifier};
use klero_cardano::{Block, Claim, Claims, Event, Hash, KesPeriods, Network, Walk};
use klero_lanes::engine;

use crate::certificates::Certificates;
use crate::check::Check;
use crate::header_check::NoKesPeriods;
use crate::signatures::{NotSigned, SignedHeader, issuers, verify_certificates, verify_signatures};
use crate::tuning::{KEPT_CERTIFICATES, KEPT_KEYS, SEGMENT, UNDER_WAY};

/// What verifies segments.
pub(crate) struct Verifiers {
    pub checks: BTreeSet<Check>,
    vrf: Verifier,
    certificates: Certificates,
    /// The network's, if signatures are checked.
    periods: Option<KesPeriods>,
}

/// The verdicts on what is in a segment, in order. Of what was not asked for there are none.
#[derive(Default)]
pub(crate) struct Verdicts {
    /// One for each claim: those of a block, then those with the known nonce of its epoch.
    pub vrf: Vec<Verdict>,
    /// One for each block that is signed, with the issuer.
    pub certificates: Vec<(Hash<28>, klero_ed25519::Verdict)>,
    /// One for each block that is signed.
    pub signatures: Vec<Result<(), NotSigned>>,
}

impl Verdicts {
    /// The verdicts, to be taken one by one.
    pub(crate) fn in_order(self) -> InOrder {
        InOrder {
            vrf: self.vrf.into_iter(),
            certificates: self.certificates.into_iter(),
            signatures: self.signatures.into_iter(),
        }
    }
}

/// The verdicts on a segment that are not taken yet.
pub(crate) struct InOrder {
    vrf: vec::IntoIter<Verdict>,
    pub certificates: vec::IntoIter<(Hash<28>, klero_ed25519::Verdict)>,
    pub signatures: vec::IntoIter<Result<(), NotSigned>>,
}

impl InOrder {
    /// The verdicts on the next claims, which are these.
    pub(crate) fn judge<'a>(&mut self, claims: &'a [Claim]) -> Vec<(&'a Claim, Verdict)> {
        let verdict = |claim| (claim, next(&mut self.vrf));
        claims.iter().map(verdict).collect()
    }
}

/// The next verdict.
pub(crate) fn next<T>(verdicts: &mut vec::IntoIter<T>) -> T {
    verdicts
        .next()
        .expect("a batch gives one verdict per claim")
}

impl Verifiers {
    /// Verifiers for these checks on the blocks of a network.
    ///
    /// # Errors
    /// [`NoKesPeriods`], if KES signatures are to be checked.
    pub(crate) fn new(checks: BTreeSet<Check>, network: &Network) -> Result<Self, NoKesPeriods> {
        let periods = match checks.contains(&Check::Kes) {
            true => Some(network.kes_periods().ok_or(NoKesPeriods)?),
            false => None,
        };
        Ok(Self {
            checks,
            vrf: Verifier::new(Suite::PRAOS).keep_keys(KEPT_KEYS),
            certificates: Certificates::new(KEPT_CERTIFICATES),
            periods,
        })
    }
}

/// Events in the order of the chain.
#[derive(Default)]
pub(crate) struct Segment {
    pub events: Vec<Event>,
    /// The number of blocks among them.
    pub blocks: usize,
    /// Bytes of the blocks.
    pub bytes: u64,
}

impl Segment {
    /// The next segment; `None` at the end of the chain.
    pub(crate) fn read(walk: &mut Walk<'_>) -> Option<Self> {
        let mut segment = Self::default();
        let mut claims = 0;
        let most = (UNDER_WAY / klero_pipeline::width()).clamp(1, SEGMENT);
        while claims < most && segment.events.len() < most {
            let Some(event) = walk.next() else { break };
            if let Event::Block(block) = &event {
                segment.blocks += 1;
                segment.bytes += block.size;
                claims += of(block).count();
            }
            segment.events.push(event);
        }
        (!segment.events.is_empty()).then_some(segment)
    }

    /// The verdicts on its claims and signatures.
    pub(crate) fn verify(&self, verifiers: &Verifiers) -> Verdicts {
        let checks = |check| verifiers.checks.contains(&check);
        let mut verdicts = Verdicts::default();
        if checks(Check::Vrf) {
            let mut claims = Vec::new();
            for block in self.blocks() {
                claims.extend(of(block).map(Claim::as_claim));
            }
            verdicts.vrf = verifiers.vrf.verify_many(&claims).verdicts;
        }
        if !checks(Check::Certificates) && !checks(Check::Kes) {
            return verdicts;
        }
        let signed: Vec<_> = self
            .blocks()
            .filter_map(|block| {
                let header = block.signed.as_ref()?;
                Some(SignedHeader {
                    slot: block.place.slot,
                    issuer_key: &header.issuer_key,
                    signing: &header.signing,
                    bytes: &header.header,
                })
            })
            .collect();
        if checks(Check::Certificates) {
            let certificates = verify_certificates(&verifiers.certificates, engine(), &signed);
            let issuers = issuers(engine(), &signed).into_iter();
            verdicts.certificates = issuers.zip(certificates).collect();
        }
        if let Some(periods) = verifiers.periods {
            verdicts.signatures = verify_signatures(periods, engine(), &signed);
        }
        verdicts
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.events.iter().filter_map(|event| match event {
            Event::Block(block) => Some(&**block),
            _ => None,
        })
    }
}

/// All claims of a block.
fn of(block: &Block) -> impl Iterator<Item = &Claim> {
    let made = match &block.claims {
        Claims::Made(made) => &made[..],
        _ => &[],
    };
    made.iter().chain(&block.known_claims)
}
