//! The caller's observer: what it is told, and how it ends an audit.

use std::ops::ControlFlow;

use klero_cardano::Finding;

use crate::error::AuditError;
use crate::leaders::Lead;
use crate::progress::{Progress, Stop};
use crate::report::Epoch;

/// The caller's observer.
pub(crate) struct Observer<'a> {
    observe: Observe<'a>,
    /// How it ends the audit, once it does.
    stop: Option<Stop>,
}

type Observe<'a> = &'a mut dyn FnMut(Progress<'_>) -> ControlFlow<Stop>;

impl<'a> Observer<'a> {
    pub(crate) fn new(observe: Observe<'a>) -> Self {
        Self {
            observe,
            stop: None,
        }
    }

    pub(crate) fn tell(&mut self, progress: Progress<'_>) -> Result<(), AuditError> {
        if self.stop != Some(Stop::Abort)
            && let ControlFlow::Break(stop) = (self.observe)(progress)
        {
            self.stop = Some(stop);
        }
        match self.stop {
            Some(Stop::Abort) => Err(AuditError::Aborted),
            _ => Ok(()),
        }
    }

    pub(crate) fn findings(&mut self, findings: &[Finding]) -> Result<(), AuditError> {
        match findings {
            [] => Ok(()),
            _ => self.tell(Progress::Findings(findings)),
        }
    }

    pub(crate) fn leads(&mut self, leads: &[Lead]) -> Result<(), AuditError> {
        match leads {
            [] => Ok(()),
            _ => self.tell(Progress::Leads(leads)),
        }
    }

    pub(crate) fn epochs(&mut self, epochs: &[(u64, &Epoch)]) -> Result<(), AuditError> {
        let mut epochs = epochs.iter();
        epochs.try_for_each(|&(number, epoch)| self.tell(Progress::Epoch { number, epoch }))
    }

    pub(crate) fn wants_interrupt(&self) -> bool {
        self.stop == Some(Stop::Interrupt)
    }
}
