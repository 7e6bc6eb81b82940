//! Audits a node's database and prints what is wrong with it.

use std::ops::ControlFlow;

use klero_audit::{Audit, Progress};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).ok_or("usage: directory DIR")?;
    let report = Audit::new(dir.as_ref())?.run(|progress| {
        if let Progress::Findings(findings) = progress {
            for finding in findings {
                println!("{finding}");
            }
        }
        ControlFlow::Continue(())
    })?;
    let (valid, proofs) = (report.totals.valid, report.totals.proofs);
    println!(
        "{:?}: {valid} of {proofs} proofs are valid",
        report.outcome()
    );
    Ok(())
}
