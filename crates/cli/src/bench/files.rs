//! The files of a run: two tables in CSV, and a page.

use std::fs;
use std::io::Write;
use std::path::Path;

use klero_support::Output;
use serde::Serialize;

use super::rounds::Row;
use crate::error::Error;

/// A line of `summary.csv`.
#[derive(Serialize)]
struct Summary<'a> {
    row: &'a str,
    proofs: usize,
    backend: &'a str,
    rounds: usize,
    min_us: f64,
    median_us: f64,
    p90_us: f64,
}

/// A line of `samples.csv`.
#[derive(Serialize)]
struct Sample<'a> {
    row: &'a str,
    backend: &'a str,
    round: usize,
    us: f64,
}

/// Creates the directory if it does not exist.
pub fn create_directory(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|error| Error::write(directory.display(), &error))
}

/// Writes `summary.csv`, with a line for each backend of each row, `samples.csv`, with one for
/// each round of these, and `report.html`.
pub fn write(directory: &Path, rows: &[Row<'_>], page: &str) -> Result<(), Error> {
    let contenders = || {
        let of = |row| move |contender| (row, contender);
        rows.iter()
            .flat_map(move |row| row.contenders.iter().map(of(row)))
    };
    write_csv(
        &directory.join("summary.csv"),
        contenders().map(|(row, contender)| Summary {
            row: &row.name,
            proofs: row.items,
            backend: contender.backend.name(),
            rounds: contender.samples.len(),
            min_us: contender.min(),
            median_us: contender.median(),
            p90_us: contender.p90(),
        }),
    )?;
    write_csv(
        &directory.join("samples.csv"),
        contenders().flat_map(|(row, contender)| {
            let samples = contender.samples.iter().enumerate();
            samples.map(|(round, &us)| Sample {
                row: &row.name,
                backend: contender.backend.name(),
                round,
                us,
            })
        }),
    )?;
    let path = directory.join("report.html");
    let mut output = Output::create(&path)?;
    output
        .write_all(page.as_bytes())
        .map_err(|error| Error::write(path.display(), &error))?;
    Ok(output.commit()?)
}

fn write_csv(path: &Path, lines: impl Iterator<Item = impl Serialize>) -> Result<(), Error> {
    let mut writer = csv::Writer::from_writer(Output::create(path)?);
    for line in lines {
        let written = writer.serialize(line);
        written.map_err(|error| Error::write(path.display(), &error.into()))?;
    }
    let output = writer.into_inner();
    let output = output.map_err(|error| Error::write(path.display(), error.error()))?;
    Ok(output.commit()?)
}
