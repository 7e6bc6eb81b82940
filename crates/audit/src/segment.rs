//! A segment of the chain: what is judged together.

use std::time::{Duration, Instant};

use klero_cardano::{Block, Event, Finding, Walk};
use klero_lanes::through;

use crate::judge::{Case, Judge, Verdicts};
use crate::tuning::{SEGMENT, UNDER_WAY};

/// Events in the order of the chain.
#[derive(Default)]
pub(crate) struct Segment {
    events: Vec<Result<Box<Block>, Box<Finding>>>,
    /// The number of blocks among them.
    blocks: usize,
    /// Bytes of the blocks.
    bytes: u64,
}

/// A segment with its verdicts.
pub(crate) struct Judged {
    pub events: Vec<JudgedEvent>,
    /// The number of blocks among them.
    pub blocks: usize,
    /// Bytes of the blocks.
    pub bytes: u64,
    /// How long it took.
    pub time: Duration,
}

/// A block with the verdicts on its header, or a finding.
pub(crate) type JudgedEvent = Result<(Box<Block>, Verdicts), Box<Finding>>;

impl Segment {
    /// The next segment; `None` at the end of the chain.
    pub(crate) fn read(walk: &mut Walk<'_>) -> Option<Self> {
        let mut segment = Self::default();
        let mut claims = 0;
        let most = (UNDER_WAY / klero_support::width()).clamp(1, SEGMENT);
        while claims < most && segment.events.len() < most {
            let Some(event) = walk.next() else { break };
            segment.events.push(match event {
                Event::Block(block) => {
                    segment.blocks += 1;
                    segment.bytes += block.size;
                    claims += block.claims.len();
                    Ok(block)
                }
                Event::Finding(finding) => Err(finding),
            });
        }
        (!segment.events.is_empty()).then_some(segment)
    }

    /// Judges the headers of its blocks.
    pub(crate) fn judge(self, judge: &Judge) -> Judged {
        let started = Instant::now();
        let Self {
            events,
            blocks,
            bytes,
        } = self;
        let events = through(events, |blocks| {
            let cases: Vec<_> = blocks.iter().map(|block| Case::from(&**block)).collect();
            judge.judge(&cases)
        });
        Judged {
            events,
            blocks,
            bytes,
            time: started.elapsed(),
        }
    }
}
