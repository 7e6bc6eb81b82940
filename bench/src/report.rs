//! The table for readers and the files for programs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::run::Measured;

/// The peers that klero is compared to.
pub const BASELINES: [&str; 4] = ["dalek5-ifma", "dalek5-avx2", "dalek5-serial", "vrf_dalek"];

/// One table for each row.
pub fn print(machine: &[(&str, String)], measured: &[Measured]) {
    println!();
    for (name, value) in machine {
        println!("{name}: {value}");
    }
    println!(
        "\nMicroseconds of CPU time for each proof, one thread; then how many times as fast as \
         each peer, by medians of this run. A dash: not measured in this row, so no ratio."
    );
    for row in measured {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let mut header = vec!["", "min", "median", "p90"];
        header.extend(BASELINES);
        table.set_header(header);
        for series in &row.series {
            let mut cells = vec![series.contender.clone()];
            cells.extend([0.0, 0.5, 0.9].map(|part| format!("{:.2}", series.quantile(part))));
            cells.extend(BASELINES.map(|baseline| {
                row.times_as_fast(series, baseline)
                    .map_or("-".into(), |times| format!("{times:.2}x"))
            }));
            table.add_row(cells);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        println!("\n{}\n{table}", row.row.name());
    }
}

#[derive(Serialize)]
struct Summary<'a> {
    run: u64,
    row: &'a str,
    suite: &'a str,
    claims: usize,
    contender: &'a str,
    rounds: usize,
    min_us: f64,
    median_us: f64,
    p90_us: f64,
}

#[derive(Serialize)]
struct Ratio<'a> {
    run: u64,
    row: &'a str,
    contender: &'a str,
    baseline: &'a str,
    times_as_fast: f64,
}

#[derive(Serialize)]
struct Sample<'a> {
    run: u64,
    row: &'a str,
    contender: &'a str,
    round: usize,
    us: f64,
}

#[derive(Serialize)]
struct Fact<'a> {
    run: u64,
    name: &'a str,
    value: &'a str,
}

/// `summary.csv`, `ratios.csv`, `samples.csv` and `machine.csv`; the column `run`, the
/// second in which it began, tells which lines belong together.
pub fn write(
    directory: &Path,
    run: u64,
    machine: &[(&str, String)],
    measured: &[Measured],
) -> Result<()> {
    let context = || format!("{} cannot be written", directory.display());
    fs::create_dir_all(directory).with_context(context)?;
    let open = |name| csv::Writer::from_path(directory.join(name)).with_context(context);
    let mut summary = open("summary.csv")?;
    let mut ratios = open("ratios.csv")?;
    let mut samples = open("samples.csv")?;
    let mut facts = open("machine.csv")?;
    for measured in measured {
        let (row, suite) = (&*measured.row.name(), measured.row.suite.name);
        for series in &measured.series {
            let contender = series.contender.as_str();
            summary.serialize(Summary {
                run,
                row,
                suite,
                claims: measured.row.claims,
                contender,
                rounds: series.samples.len(),
                min_us: series.quantile(0.0),
                median_us: series.quantile(0.5),
                p90_us: series.quantile(0.9),
            })?;
            for baseline in BASELINES {
                if let Some(times_as_fast) = measured.times_as_fast(series, baseline) {
                    ratios.serialize(Ratio {
                        run,
                        row,
                        contender,
                        baseline,
                        times_as_fast,
                    })?;
                }
            }
            for (round, &us) in series.samples.iter().enumerate() {
                samples.serialize(Sample {
                    run,
                    row,
                    contender,
                    round,
                    us,
                })?;
            }
        }
    }
    for (name, value) in machine {
        facts.serialize(Fact { run, name, value })?;
    }
    for mut file in [summary, ratios, samples, facts] {
        file.flush()?;
    }
    Ok(())
}
