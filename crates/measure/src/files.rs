//! CSV files, as `pandas.read_csv` takes them without arguments.
//!
//! `summary.csv`, `ratios.csv` and `samples.csv` hold everything of a run, a figure a
//! line, `machine.csv` what it ran on. The column `run` is the Unix time at which the run
//! began: lines of different runs are never to be compared.
//!
//! A *wide* file has a column for each contender of one row and a line for each round.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::machine::Fact;
use crate::measured::{Measured, Run};
use crate::section::{Cell, Table};

/// A unit of wide files: one for each second.
pub const SECONDS: f64 = 1e-6;
/// A unit of wide files: one for each millisecond.
pub const MILLISECONDS: f64 = 1e-3;

/// Where the files go.
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
    /// A directory, made if it is not there.
    ///
    /// # Errors
    /// What the system says, with the path.
    pub fn create(path: impl Into<PathBuf>) -> io::Result<Self> {
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
    /// What the system says, with the path.
    pub fn write_run(&self, run: &Run, facts: &[Fact]) -> io::Result<()> {
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

    /// Writes a wide file of a row: a column for each of the contenders named (in that
    /// order, under the second name), a line for each round, `scale` times microseconds
    /// for each item. An empty column is one that was not measured.
    ///
    /// # Errors
    /// What the system says, with the path.
    pub fn write_wide(
        &self,
        name: &str,
        row: &Measured,
        columns: &[(&str, &str)],
        scale: f64,
    ) -> io::Result<()> {
        let mut file = self.open(name)?;
        file.line(columns.iter().map(|(_, head)| *head).collect::<Vec<_>>())?;
        let columns: Vec<&[f64]> = columns
            .iter()
            .map(|(contender, _)| row.get(contender).map_or(&[][..], |s| s.samples()))
            .collect();
        let rounds = columns.iter().map(|samples| samples.len()).max();
        for round in 0..rounds.unwrap_or(0) {
            let sample = |samples: &&[f64]| samples.get(round).map(|us| us * scale);
            file.line(columns.iter().map(sample).collect::<Vec<_>>())?;
        }
        file.close()
    }

    /// Writes a table as it is shown, numbers without their units.
    ///
    /// # Errors
    /// What the system says, with the path.
    pub fn write_table(&self, name: &str, table: &Table) -> io::Result<()> {
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
    /// What the system says, with the path.
    pub fn write_text(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| at(&path, error))
    }

    fn open(&self, name: &str) -> io::Result<File> {
        let path = self.0.join(name);
        let file = fs::File::create(&path).map_err(|error| at(&path, error))?;
        let writer = csv::WriterBuilder::new().from_writer(file);
        Ok(File { path, writer })
    }
}

/// A CSV file and its path for errors.
struct File {
    path: PathBuf,
    writer: csv::Writer<fs::File>,
}

impl File {
    fn line(&mut self, line: impl Serialize) -> io::Result<()> {
        let written = self.writer.serialize(line);
        written.map_err(|error| at(&self.path, error.into()))
    }

    fn close(mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| at(&self.path, error))
    }
}

fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
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
        let columns = [("peer, the", "peer"), ("absent", "no one"), ("ours", "us")];
        directory
            .write_wide("wide.csv", &run.rows()[0], &columns, MILLISECONDS)
            .unwrap();
        let table = Table::of_row(&run.rows()[0], &["ours"]);
        directory.write_table("table.csv", &table).unwrap();
        for (name, lines) in [
            ("summary.csv", 2),
            ("ratios.csv", 2),
            ("samples.csv", 6),
            ("machine.csv", 1),
            ("wide.csv", 3),
            ("table.csv", 2),
        ] {
            let mut reader = csv::Reader::from_path(place.join(name)).unwrap();
            let records: Result<Vec<_>, _> = reader.records().collect();
            assert_eq!(records.unwrap().len(), lines, "{name}");
        }
        let wide = fs::read_to_string(place.join("wide.csv")).unwrap();
        assert_eq!(wide.lines().next(), Some("peer,no one,us"));
        assert_eq!(wide.lines().nth(1), Some("0.009000000000000001,,0.001"));
        fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn errors_name_the_path() {
        let fault = Directory::create("/proc/nowhere/results").unwrap_err();
        assert!(fault.to_string().starts_with("/proc/nowhere"), "{fault}");
    }
}
