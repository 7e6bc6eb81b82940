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
use crate::measured::{Measured, Run};
use crate::section::{Cell, Table};

/// The scale of wide files in seconds.
pub const SECONDS: f64 = 1e-6;
/// The scale of wide files in milliseconds.
pub const MILLISECONDS: f64 = 1e-3;

/// The directory of the files.
#[derive(Debug)]
pub struct Directory(PathBuf);

#[derive(Serialize)]
struct Summary<'a> {
    run: u64,
    experiment: &'a str,
    row: &'a str,
    items: usize,
    contender: &'a str,
    rounds: usize,
    min_us: f64,
    median_us: f64,
    p90_us: f64,
    slowest_copy: f64,
}

#[derive(Serialize)]
struct AgainstBaseline<'a> {
    run: u64,
    experiment: &'a str,
    row: &'a str,
    contender: &'a str,
    baseline: &'a str,
    times_as_fast: f64,
}

#[derive(Serialize)]
struct Sample<'a> {
    run: u64,
    experiment: &'a str,
    row: &'a str,
    contender: &'a str,
    round: usize,
    us: f64,
}

#[derive(Serialize)]
struct OfMachine<'a> {
    run: u64,
    name: &'a str,
    value: &'a str,
}

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
        let began = run.began();
        let mut summary = self.open("summary.csv")?;
        let mut ratios = self.open("ratios.csv")?;
        let mut samples = self.open("samples.csv")?;
        for measured in run.rows() {
            let (experiment, row) = (measured.experiment(), measured.name());
            for series in measured.series() {
                let contender = series.contender();
                summary.line(Summary {
                    run: began,
                    experiment,
                    row,
                    items: measured.items(),
                    contender,
                    rounds: series.samples().len(),
                    min_us: series.min(),
                    median_us: series.median(),
                    p90_us: series.p90(),
                    slowest_copy: series.slowest_copy(),
                })?;
                for (round, &us) in series.samples().iter().enumerate() {
                    samples.line(Sample {
                        run: began,
                        experiment,
                        row,
                        contender,
                        round,
                        us,
                    })?;
                }
                for other in measured.series() {
                    let baseline = other.contender();
                    let ratio = measured.ratio(contender, baseline);
                    if let Some(ratio) = ratio.filter(|_| baseline != contender) {
                        ratios.line(AgainstBaseline {
                            run: began,
                            experiment,
                            row,
                            contender,
                            baseline,
                            times_as_fast: ratio.value(),
                        })?;
                    }
                }
            }
        }
        let mut machine = self.open("machine.csv")?;
        for Fact { name, value } in facts {
            machine.line(OfMachine {
                run: began,
                name,
                value,
            })?;
        }
        for file in [summary, ratios, samples, machine] {
            file.close()?;
        }
        Ok(())
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
        let mut file = self.open(name)?;
        let head = ["implementation"].iter().chain(columns);
        file.line(head.collect::<Vec<_>>())?;
        for implementation in implementations {
            let samples = |column: &&str| {
                let series = row.get(&format!("{implementation}: {column}"));
                series.map_or(&[][..], |series| series.samples())
            };
            let columns: Vec<&[f64]> = columns.iter().map(samples).collect();
            let rounds = columns.iter().map(|samples| samples.len()).max();
            for round in 0..rounds.unwrap_or(0) {
                let sample = |samples: &&[f64]| samples.get(round).map(|us| us * scale);
                let line: Vec<_> = columns.iter().map(sample).collect();
                file.line((implementation, line))?;
            }
        }
        file.close()
    }

    /// Writes a table. Numbers have no units and are not rounded.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the system refuses.
    pub fn write_table(&self, name: &str, table: &Table) -> Result<(), WriteError> {
        let mut file = self.open(name)?;
        file.line(&table.head)?;
        for line in &table.lines {
            let cells = line.iter().map(|cell| match cell {
                Cell::Text(text) => text.clone(),
                Cell::Micros(time) => time.to_string(),
                Cell::Times(ratio) => ratio.value().to_string(),
                Cell::Part(ratio) => ratio.inverse().to_string(),
                Cell::Count(number) | Cell::Bytes(number) => number.to_string(),
                Cell::Nothing => String::new(),
            });
            file.line(cells.collect::<Vec<_>>())?;
        }
        file.close()
    }

    /// Writes a text file.
    ///
    /// # Errors
    /// [`WriteError::Io`] if the system refuses.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), WriteError> {
        let path = self.0.join(name);
        let mut output = Output::create(&path)?;
        output
            .write_all(text.as_bytes())
            .map_err(|error| at(&path, error))?;
        output.commit()
    }

    fn open(&self, name: &str) -> Result<File, WriteError> {
        let path = self.0.join(name);
        let writer = csv::Writer::from_writer(Output::create(&path)?);
        Ok(File { path, writer })
    }
}

/// A CSV file, and its path for errors.
struct File {
    path: PathBuf,
    writer: csv::Writer<Output>,
}

impl File {
    fn line(&mut self, line: impl Serialize) -> Result<(), WriteError> {
        let written = self.writer.serialize(line);
        written.map_err(|error| at(&self.path, error.into()))
    }

    fn close(self) -> Result<(), WriteError> {
        let output = self.writer.into_inner();
        let output = output.map_err(|error| at(&self.path, error.into_error()))?;
        output.commit()
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
        let table = Table::of_row(&run.rows()[0], &["ours"]);
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
