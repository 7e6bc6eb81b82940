//! CSV files that `pandas.read_csv` reads without arguments.
//!
//! `summary.csv`, `ratios.csv` and `samples.csv` contain everything of a run, one figure in
//! each line; `machine.csv` describes the machine. The column `run` is the Unix time at which
//! the run began: never compare lines of different runs.
//!
//! A *wide* file shows one row whose contenders are called `IMPLEMENTATION: COLUMN`. It has a
//! line for each round of each implementation; its first column is the implementation.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use klero_support::{Output, WriteError};
use serde::Serialize;

use crate::machine::Fact;
use crate::measured::{Measured, Run, Spread};
use crate::section::{Cell, Table};

/// The scale of wide files in seconds.
pub const SECONDS: f64 = 1e-6;
/// The scale of wide files in milliseconds.
pub const MILLISECONDS: f64 = 1e-3;

const SUMMARY: [&str; 10] = [
    "run",
    "experiment",
    "row",
    "items",
    "contender",
    "rounds",
    "min_us",
    "median_us",
    "p90_us",
    "slowest_copy",
];
const RATIOS: [&str; 6] = [
    "run",
    "experiment",
    "row",
    "contender",
    "baseline",
    "times_as_fast",
];
const SAMPLES: [&str; 6] = ["run", "experiment", "row", "contender", "round", "us"];

/// The directory of the files. Each method fails if the system refuses.
#[derive(Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// The directory at this path, created if it does not exist.
    ///
    /// # Errors
    /// [`WriteError::Io`] if it cannot be created.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, WriteError> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|error| at(&path, error))?;
        Ok(Self(path))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes `summary.csv`, `ratios.csv` (each contender against all others of its row),
    /// `samples.csv` and `machine.csv`.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the system refuses.
    pub fn write_run(&self, run: &Run, facts: &[Fact]) -> Result<(), WriteError> {
        let began = run.began;
        let series = || {
            let rows = run.rows.iter();
            rows.flat_map(|row| row.series.iter().map(move |series| (row, series)))
        };
        let summary = series().map(|(row, series)| {
            let Spread { min, median, p90 } = series.spread();
            let times = (min, median, p90, series.slowest_copy);
            let who = (&series.contender, series.samples.len());
            (began, &row.experiment, &row.name, row.items, who, times)
        });
        self.write("summary.csv", SUMMARY, summary)?;
        let ratios = series().flat_map(|(row, series)| {
            let who = &series.contender;
            row.series.iter().filter_map(move |other| {
                let ratio = row.ratio(who, &other.contender);
                let ratio = ratio.filter(|_| other.contender != *who)?.value();
                let against = (who, &other.contender, ratio);
                Some((began, &row.experiment, &row.name, against))
            })
        });
        self.write("ratios.csv", RATIOS, ratios)?;
        let samples = series().flat_map(|(row, series)| {
            let rounds = series.samples.iter().enumerate();
            rounds.map(move |sample| {
                let who = &series.contender;
                (began, &row.experiment, &row.name, who, sample)
            })
        });
        self.write("samples.csv", SAMPLES, samples)?;
        let machine = facts.iter().map(|fact| (began, &fact.name, &fact.value));
        self.write("machine.csv", ["run", "name", "value"], machine)
    }

    /// Writes a wide file of a row. Values are microseconds for each item times `scale`. There
    /// is a line for each round of each implementation that was measured. A cell is empty if
    /// the implementation does not have the column.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the system refuses.
    pub fn write_wide(
        &self,
        name: &str,
        row: &Measured,
        implementations: &[String],
        columns: &[&str],
        scale: f64,
    ) -> Result<(), WriteError> {
        let lines = implementations.iter().flat_map(|implementation| {
            let samples = |column: &&str| {
                let series = row.get(&format!("{implementation}: {column}"));
                series.map_or(&[][..], |series| &series.samples)
            };
            let columns: Vec<&[f64]> = columns.iter().map(samples).collect();
            let rounds = columns.iter().map(|samples| samples.len()).max();
            (0..rounds.unwrap_or(0)).map(move |round| {
                let sample = |samples: &&[f64]| samples.get(round).map(|us| us * scale);
                let line: Vec<_> = columns.iter().map(sample).collect();
                (implementation, line)
            })
        });
        self.write(name, ["implementation"].iter().chain(columns), lines)
    }

    /// Writes a table. Numbers have no units and are not rounded.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the system refuses.
    pub fn write_table(&self, name: &str, table: &Table) -> Result<(), WriteError> {
        let cell = |cell: &Cell| match cell {
            Cell::Text(text) => text.clone(),
            Cell::Micros(time) => time.to_string(),
            Cell::Times(ratio) => ratio.value().to_string(),
            Cell::Part(ratio) => ratio.inverse().to_string(),
            Cell::Count(number) | Cell::Bytes(number) => number.to_string(),
            Cell::Nothing => String::new(),
        };
        let lines = table.lines.iter();
        let lines = lines.map(|line| line.iter().map(cell).collect::<Vec<_>>());
        self.write(name, &table.head, lines)
    }

    /// Writes a text file.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the system refuses.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), WriteError> {
        let path = self.0.join(name);
        let mut output = Output::create(&path)?;
        let written = output.write_all(text.as_bytes());
        written.map_err(|error| at(&path, error))?;
        output.commit()
    }

    /// Writes a CSV file.
    fn write(
        &self,
        name: &str,
        head: impl IntoIterator<Item = impl AsRef<[u8]>>,
        lines: impl IntoIterator<Item = impl Serialize>,
    ) -> Result<(), WriteError> {
        let path = self.0.join(name);
        let failed = |error: csv::Error| at(&path, error.into());
        let mut file = csv::Writer::from_writer(Output::create(&path)?);
        file.write_record(head).map_err(failed)?;
        for line in lines {
            file.serialize(line).map_err(failed)?;
        }
        let output = file.into_inner();
        output
            .map_err(|error| at(&path, error.into_error()))?
            .commit()
    }
}

fn at(path: &Path, error: io::Error) -> WriteError {
    WriteError::Io(path.display().to_string(), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::example;

    #[test]
    fn files_have_a_header_and_as_many_fields_in_every_line() {
        let place = std::env::temp_dir().join(format!("klero-measure-{}", std::process::id()));
        let directory = Directory::create(&place).unwrap();
        let run = example();
        let facts = [Fact::new("processor", "one, \"quoted\"")];
        directory.write_run(&run, &facts).unwrap();
        let names = ["libsodium", "klero", "nobody"].map(str::to_owned);
        let columns = ["verif", "opt"];
        directory
            .write_wide("wide.csv", &side_by_side(), &names, &columns, MILLISECONDS)
            .unwrap();
        let table = Table::of_row(&run.rows[0], &["ours"]);
        directory.write_table("table.csv", &table).unwrap();
        for (name, lines) in [
            ("summary.csv", 2),
            ("ratios.csv", 2),
            ("samples.csv", 6),
            ("machine.csv", 1),
            ("wide.csv", 4),
            ("table.csv", 2),
        ] {
            let mut reader = csv::Reader::from_path(place.join(name)).unwrap();
            let records: Result<Vec<_>, _> = reader.records().collect();
            assert_eq!(records.unwrap().len(), lines, "{name}");
        }
        let wide = fs::read_to_string(place.join("wide.csv")).unwrap();
        assert_eq!(
            wide,
            "implementation,verif,opt\n\
             libsodium,0.009000000000000001,\nlibsodium,0.008,\n\
             klero,,0.001\nklero,,0.003\n"
        );
        fs::remove_dir_all(place).unwrap();
    }

    /// Two implementations, each of which has one column.
    fn side_by_side() -> Measured {
        let mut row = example().rows.remove(0);
        for (series, name) in row
            .series
            .iter_mut()
            .zip(["klero: opt", "libsodium: verif"])
        {
            series.contender = name.into();
            series.samples.truncate(2);
        }
        row
    }

    #[test]
    fn errors_name_the_path() {
        let fault = Directory::create("/proc/nowhere/results").unwrap_err();
        assert!(
            fault.to_string().starts_with("cannot write /proc/nowhere"),
            "{fault}"
        );
    }
}
