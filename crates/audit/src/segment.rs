//! A segment of the chain: what is verified together.

use std::collections::BTreeSet;

use klero::{Suite, Verdict, Verifier};
use klero_cardano::{Claim, Claims, Event, Walk};
use klero_ed25519::engine;

use crate::check::Check;
use crate::signatures::{NotSigned, Signatures, SignedHeader};
use crate::tuning::{KEPT_KEYS, SEGMENT, UNDER_WAY};

/// What verifies segments.
pub(crate) struct Verifiers {
    pub checks: BTreeSet<Check>,
    vrf: Verifier,
    signatures: Option<Signatures>,
}

/// The verdicts on what is in a segment, in order. Of what was not asked for there are none.
#[derive(Default)]
pub(crate) struct Verdicts {
    /// One for each claim.
    pub vrf: Vec<Verdict>,
    /// One for each block that is signed.
    pub certificates: Vec<klero_ed25519::Verdict>,
    pub signatures: Vec<Result<(), NotSigned>>,
}

impl Verifiers {
    /// Verifiers for these checks; without `signatures`, none of what is signed.
    pub(crate) fn new(checks: BTreeSet<Check>, signatures: Option<Signatures>) -> Self {
        Self {
            checks,
            vrf: Verifier::new(Suite::PRAOS).keep_keys(KEPT_KEYS),
            signatures,
        }
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
    pub(crate) fn read(walk: &mut Walk) -> Option<Self> {
        let mut segment = Self::default();
        let mut claims = 0;
        let most = (UNDER_WAY / klero_pipeline::width()).clamp(1, SEGMENT);
        while claims < most && segment.events.len() < most {
            let Some(event) = walk.next() else { break };
            if let Event::Block(block) = &event {
                segment.blocks += 1;
                segment.bytes += block.size;
                if let Claims::Made(made) = &block.claims {
                    claims += made.len();
                }
            }
            segment.events.push(event);
        }
        (!segment.events.is_empty()).then_some(segment)
    }

    /// The verdicts on its claims and signatures.
    pub(crate) fn verify(&self, verifiers: &Verifiers) -> Verdicts {
        let (mut claims, mut signed) = (Vec::new(), Vec::new());
        for event in &self.events {
            let Event::Block(block) = event else { continue };
            if let Claims::Made(made) = &block.claims {
                claims.extend(made.iter().map(Claim::as_claim));
            }
            signed.extend(block.signed.as_ref().map(|header| SignedHeader {
                slot: block.place.slot,
                issuer_key: &header.issuer_key,
                signing: &header.signing,
                bytes: &header.header,
            }));
        }
        let mut verdicts = Verdicts::default();
        if verifiers.checks.contains(&Check::Vrf) {
            verdicts.vrf = verifiers.vrf.verify_many(&claims).verdicts;
        }
        if let Some(signatures) = &verifiers.signatures {
            if verifiers.checks.contains(&Check::Certificates) {
                verdicts.certificates = signatures.certificates(engine(), &signed);
            }
            if verifiers.checks.contains(&Check::Kes) {
                verdicts.signatures = signatures.signatures(engine(), &signed);
            }
        }
        verdicts
    }
}
