//! A segment of the chain: what is verified together.

use klero::{Verdict, Verifier};
use klero_cardano::{Claim, Claims, Event, Walk};

use crate::tuning::SEGMENT;

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
        while claims < SEGMENT && segment.events.len() < SEGMENT {
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

    /// The verdicts on its claims, in order.
    pub(crate) fn verify(&self, verifier: &Verifier) -> Vec<Verdict> {
        let mut all = Vec::new();
        for event in &self.events {
            if let Event::Block(block) = event
                && let Claims::Made(claims) = &block.claims
            {
                all.extend(claims.iter().map(Claim::as_claim));
            }
        }
        verifier.verify_many(&all).verdicts
    }
}
