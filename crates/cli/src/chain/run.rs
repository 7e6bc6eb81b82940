//! Runs an audit, prints its results, shows its progress, and stops it early after Ctrl-C.

use std::ops::ControlFlow;

use klero_audit::{Audit, AuditError, Lead, Outcome, Progress, Stop};
use klero_cardano::WalkError;

use super::printer::Printer;
use crate::ui::error::{Error, Status};
use crate::ui::interrupt::Interrupt;
use crate::ui::progress::Progress as Bar;

/// A table with a row for each [`Lead`]: a block whose pool was allowed to make it.
pub trait Leads {
    /// Adds a row for each of these leads.
    fn write(&mut self, leads: &[Lead]) -> Result<(), Error>;
    /// Completes the table.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// Runs an audit to its end or until Ctrl-C, prints its results, and writes the table of leads.
pub fn run_audit(
    audit: Audit<'_>,
    printer: &mut dyn Printer,
    mut margins: Option<Box<dyn Leads>>,
    interrupt: &Interrupt,
) -> Result<Status, Error> {
    let mut bar = Bar::counting("blocks", true);
    let mut length = None;
    let mut failed = None;
    let ended = audit.run(|progress| {
        let printed = match progress {
            Progress::Started(started) => {
                length = started.bytes;
                printer.started(&started)
            }
            Progress::Findings(findings) => bar.suspend(|| printer.findings(findings)),
            Progress::Verified { blocks, bytes } => {
                bar.advance(blocks, (bytes, length));
                Ok(())
            }
            Progress::Leads(leads) => match &mut margins {
                Some(margins) => margins.write(leads),
                None => Ok(()),
            },
            _ => Ok(()),
        };
        match printed {
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(Stop::Abort)
            }
            Ok(()) if interrupt.pressed() => ControlFlow::Break(Stop::Interrupt),
            Ok(()) => ControlFlow::Continue(()),
        }
    });
    bar.clear();
    let report = ended.map_err(|error| failed.unwrap_or_else(|| not_started(error)))?;
    if let Some(margins) = margins {
        margins.finish()?;
    }
    printer.report(&report)?;
    match report.state.as_ref().and_then(|saved| saved.error.as_ref()) {
        Some(error) => Err(Error::at("the state was not saved", error)),
        None => Ok(match report.outcome() {
            Outcome::AllValid => Status::AllValid,
            Outcome::SomeInvalid => Status::SomeInvalid,
            Outcome::NotAllRead => Status::NotAllRead,
            Outcome::Interrupted => Status::Interrupted,
            Outcome::NotAllChecked => Status::NotAllChecked,
        }),
    }
}

/// Converts the error of an audit. If the database belongs to another network than the given one, the message
/// names the options to use instead.
pub fn not_started(error: AuditError) -> Error {
    let hint = match &error {
        AuditError::Walk(WalkError::Network { looks_like, .. }) => match looks_like {
            Some(name) => format!("; say --network {name}"),
            None => "; name its network with --shelley-genesis and --era-start".into(),
        },
        AuditError::Walk(WalkError::OtherNetwork { looks_like, .. }) => match looks_like {
            Some(name) => format!("; it looks like {name}: try --network {name}"),
            None => "; name its network with --network, or with --shelley-genesis and --era-start"
                .into(),
        },
        _ => String::new(),
    };
    Error::new(format!("{error}{hint}"))
}
