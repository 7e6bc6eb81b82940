//! An audit under way: all threads read chunks ahead of the walk and verify segments behind it, a
//! tally takes the verdicts in order.

use std::path::PathBuf;
use std::time::Instant;

use klero_cardano::Walk;
use klero_support::Queue;

use crate::error::AuditError;
use crate::observer::Observer;
use crate::progress::{Progress, Started};
use crate::report::Report;
use crate::segment::{Judged, Segment};
use crate::state::{Saved, State};
use crate::tally::Tally;

/// An audit that can start, and then is under way.
pub(crate) struct Run<'a> {
    /// The directory with the chunk files.
    pub dir: Option<PathBuf>,
    pub walk: Walk<'a>,
    pub segments: Queue<Segment, Judged>,
    /// Bytes of the blocks whose verdicts the tally has.
    pub bytes: u64,
    pub tally: Tally,
    pub state: Option<Saved>,
    /// The newest state, if it could not be written.
    pub unsaved: Option<State>,
}

impl Run<'_> {
    /// Runs to the end, and tells the observer what happens.
    pub(crate) fn run(mut self, observer: &mut Observer<'_>) -> Result<Report, AuditError> {
        observer.tell(Progress::Started(Started {
            dir: self.dir.as_deref(),
            network: &self.tally.report.network,
            origin: &self.tally.report.origin,
            bytes: self.dir.as_ref().map(|_| self.walk.bytes()),
        }))?;
        let started = Instant::now();
        let mut goes_on = true;
        loop {
            while goes_on && self.segments.has_room() {
                match self.read(observer)? {
                    Some(segment) => self.segments.push(segment),
                    None => goes_on = false,
                }
            }
            let Some(judged) = self.segments.pop() else {
                break;
            };
            self.count(judged, observer)?;
        }
        observer.findings(&self.tally.finish())?;
        observer.epochs(&self.tally.passed())?;
        self.tally.report.times.all = started.elapsed();
        Ok(self.report())
    }

    /// The next segment; `None` at the end of the chain, or if the observer interrupts the audit.
    fn read(&mut self, observer: &mut Observer<'_>) -> Result<Option<Segment>, AuditError> {
        observer.tell(Progress::Reading)?;
        let report = &mut self.tally.report;
        report.interrupted = observer.wants_interrupt();
        if report.interrupted {
            return Ok(None);
        }
        let started = Instant::now();
        let segment = Segment::read(&mut self.walk);
        report.times.reading += started.elapsed();
        Ok(segment)
    }

    /// Takes a segment with its verdicts, and tells what it shows.
    fn count(&mut self, judged: Judged, observer: &mut Observer<'_>) -> Result<(), AuditError> {
        let Judged {
            events,
            blocks,
            bytes,
            time,
        } = judged;
        self.bytes += bytes;
        let tally = &mut self.tally;
        tally.report.times.verifying += time;
        observer.findings(&tally.add(events))?;
        observer.leads(&tally.leads())?;
        if let (Some(saved), Some(state)) = (&mut self.state, tally.state.take()) {
            self.unsaved = saved.save(state);
        }
        observer.epochs(&tally.passed())?;
        observer.tell(Progress::Verified {
            blocks,
            bytes: self.bytes,
        })
    }

    /// The report at the end.
    fn report(self) -> Report {
        let Self {
            walk,
            tally,
            mut state,
            unsaved,
            ..
        } = self;
        if let (Some(saved), Some(unsaved)) = (&mut state, unsaved) {
            saved.save(unsaved);
        }
        Report {
            unread_bytes: walk.unread(),
            state,
            ..tally.into_report()
        }
    }
}
