//! Damaged copies of a node's database.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use klero_audit::{Audit, Outcome, Report};

/// Copies in a slice.
const COPIES: u64 = 10;

/// A database that is valid throughout.
pub struct Database {
    dir: PathBuf,
    files: Vec<PathBuf>,
    honest: Report,
}

impl Database {
    /// Audits it once: the report that those of copies are compared with.
    pub fn open(dir: &Path) -> anyhow::Result<Self> {
        let honest = audit(dir)?;
        ensure!(
            honest.outcome() == Outcome::AllValid && honest.totals.valid > 0,
            "the database is {:?} before it is damaged",
            honest.outcome()
        );
        let files = files(dir)?;
        ensure!(
            !files.iter().all(|file| audits_begin_with(file)),
            "the database has no chunk after the first"
        );
        Ok(Self {
            dir: dir.to_owned(),
            files,
            honest,
        })
    }
}

/// Audits copies of which one file is damaged.
///
/// An audit must end with a report, unless the damage is where an audit begins. If the report is of
/// a chain that is valid throughout, the damage was in bytes that say nothing (of an index), and it
/// is the report of the original. There are never more valid proofs.
pub fn copies(number: u64, database: &Database) -> anyhow::Result<u64> {
    let Database { dir, files, honest } = database;
    let mut random = fastrand::Rng::with_seed(number);
    let mut reports = 0;
    for copy in 0..COPIES {
        let place = tempfile::tempdir()?;
        let damaged = &files[random.usize(..files.len())];
        for file in files {
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
        let name = format!("slice {number}, copy {copy}: {}", damaged.display());
        let report = match audit(place.path()) {
            Ok(report) => report,
            Err(_) if audits_begin_with(damaged) => continue,
            Err(error) => bail!("{name}: {error}"),
        };
        reports += 1;
        let (valid, before) = (report.totals.valid, honest.totals.valid);
        assert!(valid <= before, "{name}: {valid} proofs are valid");
        if report.outcome() == Outcome::AllValid {
            assert_eq!((valid, &report.tip), (before, &honest.tip), "{name}");
        }
    }
    // Where audits begin are a few files of hundreds.
    ensure!(
        reports > 0,
        "slice {number}: no audit ended with a report: is the database very small?"
    );
    Ok(COPIES)
}

fn audit(dir: &Path) -> anyhow::Result<Report> {
    Ok(Audit::new(dir)?.run(|_| ControlFlow::Continue(()))?)
}

/// Whether a file belongs to the first chunk, or to no chunk, such as a genesis file. Without the
/// network and its first block an audit cannot begin.
fn audits_begin_with(file: &Path) -> bool {
    let chunk = file
        .file_stem()
        .and_then(|stem| stem.to_str()?.parse().ok());
    chunk.is_none_or(|number: u64| number == 0)
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
