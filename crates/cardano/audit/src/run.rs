//! Runs an audit. All threads read chunks before the walk needs them, and verify segments of the blocks that
//! the walk returns. A tally receives the verdicts in the order of the chain.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use klero_cardano::{Block, Event, Finding, Walk};
use klero_lanes::through;
use klero_support::Queue;

use crate::error::AuditError;
use crate::judge::{Case, Judge, JudgedEvent};
use crate::progress::{Progress, Started, Stop};
use crate::report::Report;
use crate::tally::Tally;
use crate::tuning::{SEGMENT, UNDER_WAY};

/// Runs a whole audit and informs the observer. `dir` is the directory of the chunk files, if any.
pub(crate) fn run(
    mut walk: Walk<'_>,
    judge: Judge,
    mut tally: Tally,
    dir: Option<&Path>,
    mut observer: impl FnMut(Progress<'_>) -> ControlFlow<Stop>,
) -> Result<Report, AuditError> {
    let is_interrupted = Cell::new(false);
    let mut tell = |progress: Progress<'_>| match observer(progress) {
        ControlFlow::Break(Stop::Abort) => Err(AuditError::Aborted),
        ControlFlow::Break(Stop::Interrupt) => {
            is_interrupted.set(true);
            Ok(())
        }
        ControlFlow::Continue(()) => Ok(()),
    };

    tell(Progress::Started(Started {
        dir,
        network: &tally.report.network,
        origin: &tally.report.origin,
        bytes: dir.map(|_| walk.bytes()),
    }))?;
    let started = Instant::now();
    let mut segments = Queue::new(move |events| judge_segment(&judge, events));
    let mut goes_on = true;
    let mut bytes = 0;
    // The newest state, if it could not be written.
    let mut unsaved = None;
    loop {
        while goes_on && segments.has_room() {
            tell(Progress::Reading)?;
            tally.report.interrupted = is_interrupted.get();
            if tally.report.interrupted {
                goes_on = false;
                break;
            }
            let started = Instant::now();
            let segment = read_segment(&mut walk);
            tally.report.times.reading += started.elapsed();
            goes_on = !segment.is_empty();
            if goes_on {
                segments.push(segment);
            }
        }

        let Some((events, time)) = segments.pop() else {
            break;
        };
        let blocks = events.iter().flatten().count();
        let sizes = events.iter().flatten().map(|(block, _)| block.size);
        bytes += sizes.sum::<u64>();
        tally.report.times.verifying += time;
        let findings = tally.add(events);
        if !findings.is_empty() {
            tell(Progress::Findings(&findings))?;
        }
        let leads = tally.leads();
        if !leads.is_empty() {
            tell(Progress::Leads(&leads))?;
        }
        if let (Some(saved), Some(state)) = (&mut tally.report.state, tally.state.take()) {
            unsaved = saved.save(state);
        }
        for (number, epoch) in tally.passed() {
            tell(Progress::Epoch { number, epoch })?;
        }
        tell(Progress::Verified { blocks, bytes })?;
    }

    let findings = tally.finish();
    if !findings.is_empty() {
        tell(Progress::Findings(&findings))?;
    }
    for (number, epoch) in tally.passed() {
        tell(Progress::Epoch { number, epoch })?;
    }
    tally.report.times.all = started.elapsed();
    if let (Some(saved), Some(state)) = (&mut tally.report.state, unsaved) {
        saved.save(state);
    }
    Ok(Report {
        unread_bytes: walk.unread(),
        ..tally.into_report()
    })
}

/// Reads the events of the next segment. Returns an empty segment at the end of the chain.
fn read_segment(walk: &mut Walk<'_>) -> Vec<Result<Box<Block>, Box<Finding>>> {
    let most = (UNDER_WAY / klero_support::width()).clamp(1, SEGMENT);
    let (mut events, mut claims) = (Vec::new(), 0);
    while claims < most && events.len() < most {
        let Some(event) = walk.next() else { break };
        events.push(match event {
            Event::Block(block) => {
                claims += block.claims.len();
                Ok(block)
            }
            Event::Finding(finding) => Err(finding),
        });
    }
    events
}

/// Judges the headers of the blocks in a segment. Also returns the time that this took.
fn judge_segment(
    judge: &Judge,
    events: Vec<Result<Box<Block>, Box<Finding>>>,
) -> (Vec<JudgedEvent>, Duration) {
    let started = Instant::now();
    let events = through(events, |blocks| {
        let cases: Vec<_> = blocks.iter().map(|block| Case::from(&**block)).collect();
        judge.judge(&cases)
    });
    (events, started.elapsed())
}
