//! What must hold after a call has failed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use klero_cardano::Severity;
use serde_json::Value;

use super::cases::Outcome;
use super::trace::Plan;

/// The state file of an audit.
pub const STATE: &str = "state.json";

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What a run left behind.
#[derive(Default)]
pub struct Left {
    /// `None` if a signal ended it.
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub files: Files,
}

impl Left {
    /// The state file.
    pub fn state(&self) -> Option<&Vec<u8>> {
        self.files.get(Path::new(STATE))
    }
}

/// How a run with a fault ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Well {
    /// With the right result.
    Right,
    /// With an error.
    Refused,
}

/// The failed call.
pub struct Failed {
    pub plan: Plan,
    /// What it was about.
    pub about: String,
}

impl Failed {
    /// A write to standard error.
    fn is_message(&self) -> bool {
        self.about.ends_with("/stderr")
    }

    /// Whether this is a temporary file that could not be removed.
    fn may_stay(&self, name: &Path) -> bool {
        let name = name.to_string_lossy();
        self.plan.calls.name == "change" && name.starts_with(".klero-")
    }

    /// Whether nobody may go on as if nothing had happened: what was to be stored may be lost.
    fn must_be_told(&self) -> bool {
        self.plan.calls.name == "sync" && !self.plan.fault.is_harmless()
    }
}

/// A run without a fault, with which others are compared.
#[derive(Default)]
pub struct Expected {
    pub outcome: Outcome,
    /// The files that a run is given.
    pub before: Files,
    /// The result, with its files.
    pub right: Left,
}

impl Expected {
    /// How a run ended well, with the right result or with an error and nothing else; or why not.
    pub fn judge(&self, failed: &Failed, left: &Left) -> Result<Well, String> {
        let Some(status) = left.status else {
            return Err("a signal ended it".into());
        };
        if left.stderr.contains("internal error") || left.stderr.contains("panicked") {
            return Err(format!("it panicked: {}", left.stderr));
        }
        // An audit stores a state again, in another file, with the next one or at its end.
        let is_stored = left.state().is_some() && left.state() == self.right.state();
        let must_be_told = failed.must_be_told() && !is_stored;
        if left.status == self.right.status && !(must_be_told && status == 0) {
            return self.right_result(failed, left).map(|()| Well::Right);
        }
        let reports = self.outcome == Outcome::Report && matches!(status, 1..=3);
        if failed.plan.fault.is_harmless() || (status != 2 && !reports) {
            return Err(format!("status {status}: {}", left.stderr));
        }
        let told = left.stderr.starts_with("klero: ") || (reports && reports_a_fault(&left.stdout));
        if !told && !failed.is_message() {
            return Err(format!("no error is told: {:?}", left.stderr));
        }
        self.nothing_else(failed, left).map(|()| Well::Refused)
    }

    fn right_result(&self, failed: &Failed, left: &Left) -> Result<(), String> {
        let Self { outcome, right, .. } = self;
        let same = match outcome {
            Outcome::Report => verdicts(&left.stdout) == verdicts(&right.stdout),
            _ => self.is_same_file(&left.stdout, &right.stdout),
        };
        if !same {
            let text = String::from_utf8_lossy(&left.stdout);
            return Err(format!("another result with the right status: {text}"));
        }
        if !failed.is_message() && *outcome == Outcome::Same && left.stderr != right.stderr {
            return Err(format!("another message: {}", left.stderr));
        }
        let files = || left.files.iter().filter(|(name, _)| !failed.may_stay(name));
        if !files().map(|(name, _)| name).eq(right.files.keys()) {
            return Err(format!("other files: {:?}", left.files.keys()));
        }
        let mut pairs = files().zip(right.files.values());
        match pairs.find(|((_, a), b)| !self.is_same_file(a, b)) {
            Some(((name, _), _)) => Err(format!("another file {}", name.display())),
            None => Ok(()),
        }
    }

    fn is_same_file(&self, a: &[u8], b: &[u8]) -> bool {
        match self.outcome {
            Outcome::Random => a.len() == b.len(),
            _ => a == b,
        }
    }

    /// Nothing is left that was not there, except an output that is complete. Nothing that was
    /// there is lost.
    fn nothing_else(&self, failed: &Failed, left: &Left) -> Result<(), String> {
        let right = &self.right;
        for (name, bytes) in &self.before {
            match left.files.get(name) {
                Some(now) if now == bytes || right.files.get(name) == Some(now) => {}
                _ => return Err(format!("{} is lost", name.display())),
            }
        }
        for (name, bytes) in &left.files {
            let complete = right.files.get(name);
            let complete = complete.is_some_and(|complete| self.is_same_file(complete, bytes));
            // The next audit goes on from its state file.
            let state = self.outcome == Outcome::Report && name.as_os_str() == STATE;
            let expected = complete || state || failed.may_stay(name);
            if !expected && !self.before.contains_key(name) {
                return Err(format!("{} is left", name.display()));
            }
        }
        match self.outcome {
            Outcome::Same if !right.stdout.starts_with(&left.stdout) => {
                Err("another output".into())
            }
            _ => Ok(()),
        }
    }
}

/// A report without times, and without what it says of indexes and of what was not read.
fn verdicts(report: &[u8]) -> Option<Value> {
    let mut report: Value = serde_json::from_slice(report).ok()?;
    let object = report.as_object_mut()?;
    object.remove("timing");
    object.remove("findings");
    let found = report.pointer_mut("/totals/found")?.as_object_mut()?;
    found.retain(|name, _| Severity::of(name) == Severity::Fault);
    Some(report)
}

fn reports_a_fault(report: &[u8]) -> bool {
    let report: Result<Value, _> = serde_json::from_slice(report);
    report
        .is_ok_and(|report| report["result"] != "all valid" || !report["state"]["error"].is_null())
}
