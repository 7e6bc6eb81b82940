//! Runs of the command, and their output.

use std::path::Path;

use serde_json::Value;

use crate::common::{Place, Ran};

/// Runs `klero chain verify DIR` with these options, which are split at spaces.
pub fn verify(dir: &Path, options: &str) -> Ran {
    Place::new().run(&format!("chain verify {} {options}", dir.display()))
}

/// The same with `--json`; the exit status must be this.
#[track_caller]
pub fn report(dir: &Path, options: &str, status: i32) -> Value {
    let ran = verify(dir, &format!("{options} --json")).ends(status);
    assert_eq!(ran.stderr, "", "{}", ran.line);
    json(&ran.stdout)
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The findings, one line each: kind, and slot or chunk; for several occurrences the slot of the
/// first, their number, and the slot of the last.
pub fn findings(report: &Value) -> Vec<String> {
    let line = |finding: &Value| {
        let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        match finding["finding"].as_str().unwrap() {
            "fault" if finding["slot"].is_null() => {
                format!("{} in chunk {}", text("kind"), finding["chunk"])
            }
            "fault" => format!("{} at {}", text("kind"), finding["slot"]),
            "invalid-proof" => format!(
                "{} at {}: {}",
                text("proof"),
                finding["slot"],
                text("reason")
            ),
            "leader-value" => format!("leader value at {}", finding["slot"]),
            kind @ ("invalid-kes"
            | "kes-period"
            | "invalid-certificate"
            | "certificate-number"
            | "epoch-nonce") => format!("{kind} at {}", finding["slot"]),
            "warning" => format!("warning: {}", text("reason")),
            "note" => format!("note: {} in chunk {}", text("kind"), finding["chunk"]),
            other => panic!("{other}"),
        }
    };
    let folded = |finding: &Value| match finding["count"].as_u64().unwrap() {
        1 => line(finding),
        count => format!("{} x{count} to {}", line(finding), finding["last"]["slot"]),
    };
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(folded)
        .collect()
}

/// The number of occurrences in all findings.
pub fn found(report: &Value) -> u64 {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["count"].as_u64().unwrap())
        .sum()
}

/// A count of an epoch, or of all.
pub fn total(report: &Value, name: &str) -> u64 {
    report["totals"][name].as_u64().unwrap()
}

/// Every epoch with a count above zero, and that count.
pub fn by_epoch(report: &Value, name: &str) -> Vec<(u64, u64)> {
    let epochs = report["epochs"].as_array().unwrap().iter();
    epochs
        .map(|epoch| (epoch["epoch"].as_u64().unwrap(), epoch[name].as_u64()))
        .filter_map(|(number, n)| Some((number, n.filter(|n| *n > 0)?)))
        .collect()
}

/// The report without the fields that differ from run to run.
pub fn timeless(mut report: Value) -> Value {
    report.as_object_mut().unwrap().remove("timing").unwrap();
    report
}
