//! The table and the chart of the front page, from a committed record.
//!
//! ```text
//! front docs/results/zen4/2026-11-23 README.md docs/speed.svg
//! ```

use std::error::Error;
use std::path::Path;

use klero_measure::{Bars, Cell, Figure, Report, Section, Spread, Table, fill};
use serde::Deserialize;

/// A line of `summary.csv`.
#[derive(Deserialize)]
struct Line {
    row: String,
    contender: String,
    min_us: f64,
    median_us: f64,
    p90_us: f64,
}

/// Who is shown: the heading of the column, and the contender's names in new and in old records.
const CONTENDERS: [(&str, &[&str]); 7] = [
    ("Klero, IFMA", &["klero-ifma51", "klero-ifma"]),
    ("Klero, AVX2", &["klero-avx2"]),
    ("Klero, portable", &["klero-portable"]),
    ("dalek 5, IFMA", &["dalek5-ifma"]),
    ("dalek 5, AVX2", &["dalek5-avx2"]),
    ("dalek 5, serial", &["dalek5-serial"]),
    ("`vrf_dalek`", &["vrf_dalek-random"]),
];

/// What is shown: the name of the line, and that of the row in the record.
const WORK: [(&str, &str); 5] = [
    (
        "verify 1,024 together, 80 bytes, `praos`",
        "verify 1024, 80 bytes, praos",
    ),
    (
        "verify 1,024 together, 128 bytes, `draft10-tai-bc`",
        "batch of 1024, 128 bytes, draft10-tai-bc",
    ),
    ("prove 1,024 together, `praos`", "prove 1024, praos"),
    ("verify one alone, `praos`", "verify one alone, praos"),
    ("prove one alone, `praos`", "prove one alone, praos"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [record, page, chart] = &arguments[..] else {
        return Err("expected a record, a page and a chart".into());
    };
    let lines: Vec<Line> = csv::Reader::from_path(Path::new(record).join("summary.csv"))?
        .into_deserialize()
        .collect::<Result<_, _>>()?;

    let mut section = Section::new("Front page", "");
    section.tables.push(table(&lines)?);
    let report = Report {
        sections: vec![section],
        ..Report::default()
    };
    let (filled, missing) = fill(&std::fs::read_to_string(page)?, &report);
    if let Some(title) = missing.first() {
        return Err(format!("{page}: no table {title:?}").into());
    }
    std::fs::write(page, filled)?;
    std::fs::write(chart, svg(&lines)?)?;
    Ok(())
}

/// The times of a contender at some work.
fn time(lines: &[Line], row: &str, names: &[&str]) -> Result<Spread, String> {
    let found = lines
        .iter()
        // Rows of stages have the same names, and their contenders are the stages.
        .find(|line| line.row == row && names.contains(&&*line.contender));
    let line = found.ok_or_else(|| format!("the record has no {} in {row:?}", names[0]))?;
    Ok(Spread {
        min: line.min_us,
        median: line.median_us,
        p90: line.p90_us,
    })
}

fn table(lines: &[Line]) -> Result<Table, String> {
    let head = CONTENDERS.iter().map(|(heading, _)| *heading);
    let mut table = Table::new("µs for each proof", [""].into_iter().chain(head));
    for (shown, row) in WORK {
        let mut cells = vec![Cell::text(shown)];
        for (_, names) in CONTENDERS {
            cells.push(Cell::Micros(time(lines, row, names)?.median));
        }
        table.lines.push(cells);
    }
    Ok(table)
}

/// The first line of the table as bars, the fastest first.
fn svg(lines: &[Line]) -> Result<String, String> {
    let mut bars = Vec::new();
    for (heading, names) in CONTENDERS {
        // The chart gives a colour to names that begin with `klero`.
        let name = heading.replace("Klero", "klero").replace('`', "");
        bars.push((name, time(lines, WORK[0].1, names)?));
    }
    bars.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
    let title = "µs for each of 1,024 proofs of 80 bytes that are verified together".into();
    let svg = Figure::Bars(Bars { title, bars }).svg();
    // A page may be dark, and the text is too.
    let (head, rest) = svg.split_once('>').ok_or("the chart is empty")?;
    let paper = r##"<rect width="100%" height="100%" fill="#fff"/>"##;
    Ok(format!("{head}>{paper}{rest}\n"))
}
