//! Runs of the command, and their output.

use std::path::Path;

use serde_json::Value;

use crate::common::{Place, Ran};

/// Runs `klero chain verify DIR` with these options, which are split at spaces.
pub fn verify(dir: &Path, options: &str) -> Ran {
    Place::new().run(&format!("chain verify {} {options}", dir.display()))
}

/// Returns the report of `klero chain verify DIR --json`. The command must end with this status.
#[track_caller]
pub fn report(dir: &Path, options: &str, status: i32) -> Value {
    let ran = verify(dir, &format!("{options} --json")).ends(status);
    assert_eq!(ran.stderr, "", "{}", ran.line);
    json(&ran.stdout)
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns one of the totals, which are counted over all epochs.
pub fn total(report: &Value, name: &str) -> u64 {
    report["totals"][name].as_u64().unwrap()
}
