//! What must hold after a call has failed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use klero_cardano::Severity;
use serde_json::Value;

use super::calls::{Calls, Fault};
use super::cases::Outcome;

/// The state file of an audit.
pub const STATE: &str = "state.json";

/// What a run left behind.
pub struct Left {
    /// `None` if a signal ended it.
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub files: BTreeMap<PathBuf, Vec<u8>>,
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
pub struct Failed<'a> {
    pub calls: &'a Calls,
    pub fault: Fault,
    /// What it was about.
    pub about: &'a str,
    /// Whether it was a write to standard error.
    pub message: bool,
}

/// Whether a run ended as it must: with the right result, or with an error and nothing else. `before`
/// are the files that it was given, `right` is a run without a fault.
pub fn judge(
    outcome: Outcome,
    failed: &Failed<'_>,
    before: &BTreeMap<PathBuf, Vec<u8>>,
    right: &Left,
    left: &Left,
) -> Result<Well, String> {
    let Some(status) = left.status else {
        return Err("a signal ended it".into());
    };
    if left.stderr.contains("internal error") || left.stderr.contains("panicked") {
        return Err(format!("it panicked: {}", left.stderr));
    }
    if Some(status) == right.status && !(failed.must_be_told() && status == 0) {
        return right_result(outcome, failed, right, left).map(|()| Well::Right);
    }
    if failed.fault.is_harmless() {
        return Err(format!("status {status}: {}", left.stderr));
    }
    let reports = outcome == Outcome::Report && matches!(status, 1..=3);
    if status != 2 && !reports {
        return Err(format!("status {status}: {}", left.stderr));
    }
    let told = left.stderr.starts_with("klero: ") || (reports && reports_a_fault(&left.stdout));
    if !told && !failed.message {
        return Err(format!("no error is told: {:?}", left.stderr));
    }
    nothing_else(outcome, failed, before, right, left).map(|()| Well::Refused)
}

impl Failed<'_> {
    /// Whether this is a temporary file that could not be removed.
    fn may_stay(&self, name: &Path) -> bool {
        let name = name.to_string_lossy();
        self.calls.name == "change" && name.starts_with(".klero-")
    }

    /// Whether nobody may go on as if nothing had happened: what was to be stored may be lost.
    fn must_be_told(&self) -> bool {
        self.calls.name == "sync" && !self.fault.is_harmless()
    }
}

fn right_result(
    outcome: Outcome,
    failed: &Failed<'_>,
    right: &Left,
    left: &Left,
) -> Result<(), String> {
    let same = |a: &[u8], b: &[u8]| match outcome {
        Outcome::Same => a == b,
        Outcome::Random => a.len() == b.len(),
        Outcome::Report => verdicts(a) == verdicts(b),
    };
    if !same(&left.stdout, &right.stdout) {
        let text = String::from_utf8_lossy(&left.stdout);
        return Err(format!("another result with the right status: {text}"));
    }
    if !failed.message && outcome == Outcome::Same && left.stderr != right.stderr {
        return Err(format!("another message: {}", left.stderr));
    }
    let files = || left.files.iter().filter(|(name, _)| !failed.may_stay(name));
    if !files().map(|(name, _)| name).eq(right.files.keys()) {
        return Err(format!("other files: {:?}", left.files.keys()));
    }
    let differs = files().zip(&right.files);
    let mut differs = differs.filter(|((_, a), (_, b))| match outcome {
        Outcome::Random => a.len() != b.len(),
        _ => a != b,
    });
    match differs.next() {
        Some(((name, _), _)) => Err(format!("another file {}", name.display())),
        None => Ok(()),
    }
}

/// Nothing is left that was not there, except an output that is complete. Nothing that was there is
/// lost.
fn nothing_else(
    outcome: Outcome,
    failed: &Failed<'_>,
    before: &BTreeMap<PathBuf, Vec<u8>>,
    right: &Left,
    left: &Left,
) -> Result<(), String> {
    for (name, bytes) in before {
        match left.files.get(name) {
            Some(now) if now == bytes || right.files.get(name) == Some(now) => {}
            _ => return Err(format!("{} is lost", name.display())),
        }
    }
    for (name, bytes) in left
        .files
        .iter()
        .filter(|(name, _)| !before.contains_key(*name))
    {
        let complete = match outcome {
            Outcome::Random => right.files.get(name).map(Vec::len) == Some(bytes.len()),
            _ => right.files.get(name) == Some(bytes),
        };
        // The next audit goes on from its state file.
        let state = outcome == Outcome::Report && name.as_os_str() == STATE;
        if !complete && !state && !failed.may_stay(name) {
            return Err(format!("{} is left", name.display()));
        }
    }
    let stdout = &left.stdout;
    match outcome {
        Outcome::Same if !right.stdout.starts_with(stdout) => Err("another output".into()),
        _ => Ok(()),
    }
}

/// A report without times, and without what it says of indexes and of what was not read.
fn verdicts(report: &[u8]) -> Option<Value> {
    let mut report: Value = serde_json::from_slice(report).ok()?;
    let object = report.as_object_mut()?;
    object.remove("timing");
    object.remove("findings");
    let found = object
        .get_mut("totals")?
        .get_mut("found")?
        .as_object_mut()?;
    found.retain(|name, _| Severity::of(name) == Severity::Fault);
    Some(report)
}

fn reports_a_fault(report: &[u8]) -> bool {
    let report: Result<Value, _> = serde_json::from_slice(report);
    report
        .is_ok_and(|report| report["result"] != "all valid" || !report["state"]["error"].is_null())
}
