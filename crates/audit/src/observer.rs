//! The caller's observer: what it is told, and how it ends an audit.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use crate::error::AuditError;
use crate::finding::Finding;
use crate::progress::{Progress, Stop};
use crate::report::Epoch;

/// The caller's observer. Both ends of the pipeline, which run on one thread, call it.
pub(crate) struct Observer<F> {
    observe: RefCell<F>,
    /// How it ends the audit, once it does.
    stop: Cell<Option<Stop>>,
}

impl<F: FnMut(Progress<'_>) -> ControlFlow<Stop>> Observer<F> {
    pub(crate) fn new(observe: F) -> Self {
        Self {
            observe: RefCell::new(observe),
            stop: Cell::new(None),
        }
    }

    pub(crate) fn tell(&self, progress: Progress<'_>) -> Result<(), AuditError> {
        if self.stop.get() != Some(Stop::Abort)
            && let ControlFlow::Break(stop) = (*self.observe.borrow_mut())(progress)
        {
            self.stop.set(Some(stop));
        }
        match self.stop.get() {
            Some(Stop::Abort) => Err(AuditError::Aborted),
            _ => Ok(()),
        }
    }

    pub(crate) fn findings(&self, findings: &[Finding]) -> Result<(), AuditError> {
        match findings {
            [] => Ok(()),
            _ => self.tell(Progress::Findings(findings)),
        }
    }

    pub(crate) fn epochs(&self, epochs: &[(u64, &Epoch)]) -> Result<(), AuditError> {
        let mut epochs = epochs.iter();
        epochs.try_for_each(|&(number, epoch)| self.tell(Progress::Epoch { number, epoch }))
    }

    pub(crate) fn wants_interrupt(&self) -> bool {
        self.stop.get() == Some(Stop::Interrupt)
    }
}
