//! The record: a CSV file with a line for each slice.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// What a slice checked, and all of it held.
pub struct Checked {
    /// Claims, headers, or copies.
    pub inputs: u64,
    /// The suite, the era, or the database.
    pub of: String,
}

/// A line of the file.
#[derive(Deserialize, Serialize)]
struct Line {
    kind: String,
    slice: u64,
    of: String,
    inputs: u64,
    cpu_seconds: f64,
    date: String,
    commit: String,
    processor: String,
    backends: String,
}

/// The lines of one kind in a record.
#[derive(Default)]
pub struct Record {
    path: PathBuf,
    kind: String,
    done: BTreeSet<u64>,
    inputs: u64,
    cpu_seconds: f64,
}

impl Record {
    /// Reads a record; without the file it is empty.
    pub fn open(path: &Path, kind: &str) -> anyhow::Result<Self> {
        let mut record = Self {
            path: path.to_owned(),
            kind: kind.to_owned(),
            ..Self::default()
        };
        if path.exists() {
            let name = || path.display().to_string();
            let mut lines = csv::Reader::from_path(path).with_context(name)?;
            for line in lines.deserialize() {
                record.count(&line.with_context(name)?);
            }
        }
        Ok(record)
    }

    fn count(&mut self, line: &Line) {
        if line.kind == self.kind {
            self.done.insert(line.slice);
            self.inputs += line.inputs;
            self.cpu_seconds += line.cpu_seconds;
        }
    }

    /// The first slice that is not there.
    pub fn next(&self) -> u64 {
        let mut free = (0..).filter(|number| !self.done.contains(number));
        free.next().unwrap_or(0)
    }

    /// Adds a line.
    pub fn add(&mut self, slice: u64, checked: Checked, cpu_seconds: f64) -> anyhow::Result<()> {
        let facts = klero_measure::describe(None);
        let fact = |name| facts.iter().find(|fact| fact.name == name);
        let fact = |name| fact(name).map_or(String::new(), |fact| fact.value.clone());
        let line = Line {
            kind: self.kind.clone(),
            slice,
            of: checked.of,
            inputs: checked.inputs,
            cpu_seconds: (cpu_seconds * 10.0).round() / 10.0,
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            commit: fact("commit"),
            processor: fact("processor"),
            backends: fact("klero's backends"),
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path);
        let file = file.with_context(|| self.path.display().to_string())?;
        let empty = file.metadata()?.len() == 0;
        let mut lines = csv::WriterBuilder::new()
            .has_headers(empty)
            .from_writer(file);
        lines.serialize(&line)?;
        lines.flush()?;
        self.count(&line);
        Ok(())
    }

    /// What the record has now.
    pub fn summary(&self) -> String {
        format!(
            "{}: {} inputs in {} slices, {:.0} seconds; no fault was found",
            self.kind,
            self.inputs,
            self.done.len(),
            self.cpu_seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_where_the_last_one_ended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("soak.csv");
        let checked = || Checked {
            inputs: 10,
            of: "praos".to_owned(),
        };
        for expected in 0..3 {
            let mut record = Record::open(&path, "oracle").unwrap();
            assert_eq!(record.next(), expected);
            record.add(expected, checked(), 1.0).unwrap();
        }
        let other = Record::open(&path, "backends").unwrap();
        assert_eq!(other.next(), 0);
        let record = Record::open(&path, "oracle").unwrap();
        assert!(
            record
                .summary()
                .starts_with("oracle: 30 inputs in 3 slices")
        );
    }

    #[test]
    fn a_damaged_record_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("soak.csv");
        std::fs::write(&path, "kind,slice\noracle,x\n").unwrap();
        let error = Record::open(&path, "oracle").err().unwrap();
        assert!(error.to_string().ends_with("soak.csv"), "{error}");
    }
}
