//! Damaged copies of a node's database.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use klero_audit::{Audit, Outcome, Report};

use crate::Checked;

/// Copies in a slice.
const COPIES: u64 = 10;

/// Audits copies of which one file is damaged.
///
/// An audit of a copy must end with a report. If it is of a chain that is valid throughout, the
/// damage was in bytes that say nothing (of an index), and the report is that of the original.
/// Never are there more valid proofs.
pub fn copies(number: u64, dir: &Path) -> anyhow::Result<Checked> {
    let honest = audit(dir)?;
    ensure!(
        honest.outcome() == Outcome::AllValid && honest.totals.valid > 0,
        "the database is {:?} before it is damaged",
        honest.outcome()
    );
    let mut reports = 0;
    let mut random = fastrand::Rng::with_seed(number);
    let files = files(dir)?;
    for copy in 0..COPIES {
        let place = tempfile::tempdir()?;
        let damaged = &files[random.usize(..files.len())];
        for file in &files {
            let to = place.path().join(file.strip_prefix(dir)?);
            fs::create_dir_all(to.parent().context("no directory")?)?;
            if file == damaged {
                let mut bytes = fs::read(file)?;
                damage(&mut random, &mut bytes);
                fs::write(to, bytes)?;
            } else if fs::hard_link(file, &to).is_err() {
                fs::copy(file, to)?;
            }
        }
        let report = match audit(place.path()) {
            Ok(report) => report,
            // It says that nothing can be checked.
            Err(_) => continue,
        };
        reports += 1;
        let (valid, before) = (report.totals.valid, honest.totals.valid);
        let damaged = damaged.display();
        assert!(
            valid <= before,
            "slice {number}, copy {copy}: {damaged}: {valid} proofs are valid"
        );
        if report.outcome() == Outcome::AllValid {
            assert_eq!(valid, before, "slice {number}, copy {copy}: {damaged}");
            assert_eq!(
                report.tip, honest.tip,
                "slice {number}, copy {copy}: {damaged}"
            );
        }
    }
    // A file that an audit cannot begin without is one of hundreds.
    ensure!(reports > 0, "slice {number}: no audit ended with a report");
    Ok(Checked {
        inputs: COPIES,
        of: dir
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    })
}

fn audit(dir: &Path) -> anyhow::Result<Report> {
    Ok(Audit::new(dir)?.run(|_| ControlFlow::Continue(()))?)
}

/// All files below a directory.
fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    let mut left = vec![dir.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else {
                all.push(path);
            }
        }
    }
    all.sort();
    Ok(all)
}

fn damage(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return bytes.push(random.u8(..));
    }
    let at = random.usize(..bytes.len());
    let end = (at + random.usize(1..64)).min(bytes.len());
    match random.u8(..6) {
        0 | 1 => bytes[at] ^= 1 << random.u8(..8),
        2 => bytes[at..end].fill(0),
        3 => bytes[at..end].fill_with(|| random.u8(..)),
        4 => bytes.truncate(at),
        _ => bytes.extend_from_within(at..end),
    }
}
