//! The record: a CSV file with a line for the slices that ran in a row at one commit.

use std::path::{Path, PathBuf};

use anyhow::Context;
use klero_support::Output;
use serde::{Deserialize, Serialize};

/// A line of the file: slices from the first to the last, on one day, at one commit, on one machine.
#[derive(Deserialize, Serialize)]
struct Line {
    kind: String,
    first: u64,
    last: u64,
    inputs: u64,
    cpu_seconds: f64,
    date: String,
    commit: String,
    processor: String,
    backends: String,
}

impl Line {
    /// True if the slices of the next line can be counted in this one.
    fn goes_on_in(&self, next: &Line) -> bool {
        self.last + 1 == next.first
            && self.kind == next.kind
            && self.date == next.date
            && self.commit == next.commit
            && self.processor == next.processor
            && self.backends == next.backends
    }
}

/// A record, and the kind that is added to it.
pub struct Record {
    path: PathBuf,
    kind: String,
    lines: Vec<Line>,
}

impl Record {
    /// Reads a record; without the file it is empty.
    pub fn open(path: &Path, kind: &str) -> anyhow::Result<Self> {
        let mut lines: Vec<Line> = Vec::new();
        if path.exists() {
            let name = || path.display().to_string();
            let mut reader = csv::Reader::from_path(path).with_context(name)?;
            for line in reader.deserialize() {
                lines.push(line.with_context(name)?);
            }
        }
        Ok(Self {
            path: path.to_owned(),
            kind: kind.to_owned(),
            lines,
        })
    }

    fn of_kind(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.kind == self.kind)
    }

    /// The slice after the last one.
    pub fn next(&self) -> u64 {
        self.of_kind().map(|line| line.last + 1).max().unwrap_or(0)
    }

    /// Adds a slice, with the number of its inputs, and writes the file.
    pub fn add(&mut self, slice: u64, inputs: u64, cpu_seconds: f64) -> anyhow::Result<()> {
        let facts = klero_measure::describe(None);
        let fact = |name| facts.iter().find(|fact| fact.name == name);
        let fact = |name| fact(name).map_or(String::new(), |fact| fact.value.clone());
        let line = Line {
            kind: self.kind.clone(),
            first: slice,
            last: slice,
            inputs,
            cpu_seconds: tenths(cpu_seconds),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(),
            commit: fact("commit"),
            processor: fact("processor"),
            backends: fact("klero's backends"),
        };
        match self.lines.iter_mut().find(|last| last.goes_on_in(&line)) {
            Some(last) => {
                last.last = slice;
                last.inputs += inputs;
                last.cpu_seconds = tenths(last.cpu_seconds + cpu_seconds);
            }
            None => self.lines.push(line),
        }
        self.write()
            .with_context(|| self.path.display().to_string())
    }

    /// Replaces the file, so that a run that is stopped leaves a whole one.
    fn write(&self) -> anyhow::Result<()> {
        let mut lines = csv::Writer::from_writer(Output::create(&self.path)?);
        for line in &self.lines {
            lines.serialize(line)?;
        }
        let output = lines.into_inner().map_err(|error| error.into_error())?;
        Ok(output.commit()?)
    }

    /// What the record has now.
    pub fn summary(&self) -> String {
        let slices: u64 = self.of_kind().map(|line| line.last + 1 - line.first).sum();
        let inputs: u64 = self.of_kind().map(|line| line.inputs).sum();
        let seconds: f64 = self.of_kind().map(|line| line.cpu_seconds).sum();
        format!(
            "{}: {inputs} inputs in {slices} slices, {seconds:.0} seconds; no fault was found",
            self.kind
        )
    }
}

/// Rounded to tenths.
fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_where_the_last_one_ended() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("soak.csv");
        for expected in 0..3 {
            let mut record = Record::open(&path, "oracle").unwrap();
            assert_eq!(record.next(), expected);
            record.add(expected, 10, 1.0).unwrap();
        }
        let other = Record::open(&path, "backends").unwrap();
        assert_eq!(other.next(), 0);
        let record = Record::open(&path, "oracle").unwrap();
        assert!(
            record
                .summary()
                .starts_with("oracle: 30 inputs in 3 slices")
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
    }

    #[test]
    fn a_damaged_record_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("soak.csv");
        std::fs::write(&path, "kind,first\noracle,x\n").unwrap();
        let error = Record::open(&path, "oracle").err().unwrap();
        assert!(error.to_string().ends_with("soak.csv"), "{error}");
    }
}
