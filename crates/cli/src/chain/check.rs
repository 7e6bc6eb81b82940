//! The check itself: a reader that walks ahead, all cores verifying, a judge behind.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use klero::{Batch, Suite, Verdict};
use klero_cardano::{Claims, Event, Nonce, Walk};

use super::frontier::Stand;
use super::judge::Judge;
use super::report::Report;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// The number of claims verified together, or of events where there are few claims: enough
/// to fill any vector engine, few enough that Ctrl-C is obeyed at once.
const GROUP: usize = 1024;

/// What a check came to.
pub struct Checked {
    /// Everything that was found.
    pub judge: Judge,
    /// It was stopped before the end.
    pub interrupted: bool,
    /// Bytes of chunk files that are in no block that was checked.
    pub unread: u64,
    /// How long it took.
    pub times: Times,
}

/// Where the time of a check went. Reading and verifying overlap.
#[derive(Clone, Copy)]
pub struct Times {
    /// From begin to end.
    pub all: Duration,
    /// One thread reads: files, CRC-32, headers, nonces.
    pub reading: Duration,
    /// Of all threads together.
    pub verifying: Duration,
}

/// Verifies every claim along `walk`; `given` are the nonces that it was begun with. What is
/// found on the way goes to `report` when its chunk is complete, so that memory does not grow
/// with the chain. `save` is told when an epoch was passed up to which all is well.
pub fn check(
    mut walk: Walk,
    given: BTreeMap<u64, Nonce>,
    report: &mut dyn Report,
    interrupt: &Interrupt,
    save: &mut dyn FnMut(&Stand),
) -> Result<Checked, Error> {
    let started = Instant::now();
    let mut judge = Judge::new(given);
    let mut progress = Progress::counting("blocks", true);
    let (mut done, length) = (0, walk.bytes());
    let mut interrupted = false;
    let (mut reading, mut verifying) = (Duration::ZERO, Duration::ZERO);
    klero_pipeline::ordered(
        || -> Result<_, Error> {
            interrupted = interrupt.pressed();
            let started = Instant::now();
            let group = if interrupted {
                None
            } else {
                Group::read(&mut walk)
            };
            reading += started.elapsed();
            Ok(group)
        },
        |group| {
            let started = Instant::now();
            let verdicts = group.verify();
            (group, verdicts, started.elapsed())
        },
        |(group, verdicts, time)| {
            verifying += time;
            let blocks = group.blocks;
            done += group.bytes;
            let findings = judge.hear(group.events, verdicts);
            if !findings.is_empty() {
                progress.suspend(|| report.findings(&findings))?;
            }
            if let Some(stand) = judge.frontier.passed_epoch() {
                save(stand);
            }
            progress.advance(blocks, (done, Some(length)));
            Ok(())
        },
    )?;
    progress.clear();
    report.findings(&judge.finish())?;
    Ok(Checked {
        judge,
        interrupted,
        unread: walk.unread(),
        times: Times {
            all: started.elapsed(),
            reading,
            verifying,
        },
    })
}

/// What is verified together: events in the order of the chain.
#[derive(Default)]
struct Group {
    events: Vec<Event>,
    blocks: usize,
    /// Bytes of the blocks.
    bytes: u64,
}

impl Group {
    /// The next group; `None` at the end of the chain.
    fn read(walk: &mut Walk) -> Option<Self> {
        let mut group = Self::default();
        let mut claims = 0;
        while claims < GROUP && group.events.len() < GROUP {
            let Some(event) = walk.next() else { break };
            if let Event::Block(block) = &event {
                group.blocks += 1;
                group.bytes += block.size;
                if let Claims::Made(made) = &block.claims {
                    claims += made.len();
                }
            }
            group.events.push(event);
        }
        (!group.events.is_empty()).then_some(group)
    }

    fn verify(&self) -> Vec<Verdict> {
        let mut batch = Batch::new(Suite::PRAOS);
        for event in &self.events {
            if let Event::Block(block) = event
                && let Claims::Made(claims) = &block.claims
            {
                batch.extend(claims.iter().map(klero_cardano::Claim::as_claim));
            }
        }
        batch.verify()
    }
}
