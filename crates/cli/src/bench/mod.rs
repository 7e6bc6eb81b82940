//! `klero bench`: the speed of this build on this machine, in a table, CSV files and a page with a
//! chart.

mod files;
mod page;
mod rounds;
mod work;

use std::fmt::Write;
use std::path::PathBuf;

use indicatif::HumanCount;
use jiff::Timestamp;
use klero::Backend;

use crate::choice;
use crate::error::{Error, Status, say};
use crate::layout::{self, Column, wrap};
use crate::stdout::print;
use crate::version::{COMMIT, COMPILER};
use rounds::{Plan, Row, measure};
use work::Sets;

/// Measure how fast this machine verifies and proves
///
/// Times are CPU times of one thread. Prints a table, and writes CSV files and report.html, a
/// page with a chart that needs no network. The program in bench/ of the source tree also measures
/// the stages, other batch sizes and other implementations.
#[derive(clap::Args)]
pub struct Args {
    /// Measure for less than two minutes (default: five)
    #[arg(long)]
    quick: bool,
    /// Measure N rounds (at least three), however long that takes
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = clap::value_parser!(u32).range(3..))]
    rounds: Option<u32>,
    /// Only this backend (default: all that the processor has)
    #[arg(long, value_name = "NAME", value_parser = choice::backend())]
    backend: Option<Backend>,
    /// Only rows whose name contains this text, such as "prove" or "praos"
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Directory for the CSV files and report.html; created if it does not exist
    #[arg(long, value_name = "DIR", default_value = "klero-bench")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    // First, because minutes of measuring are lost if the results cannot be written.
    files::create_directory(&args.out)?;
    let backends = args
        .backend
        .map_or_else(Backend::all, |backend| vec![backend]);
    let plan = match (args.rounds, args.quick) {
        (Some(rounds), _) => Plan::rounds(rounds),
        (None, true) => Plan::QUICK,
        (None, false) => Plan::WHOLE,
    };
    let sets = Sets::new();
    let mut rows = sets.rows(&backends);
    if let Some(text) = &args.only {
        let names: Vec<_> = rows.iter().map(|row| row.name.clone()).collect();
        rows.retain(|row| row.name.contains(text));
        if rows.is_empty() {
            let names = names.join("; ");
            return Err(Error::new(format!(
                "--only: no row is called {text:?}; expected a part of one of these names: {names}"
            )));
        }
    }
    measure(&mut rows, plan)?;

    let facts = facts(&backends);
    files::write(&args.out, &rows, &page::page(&rows, &facts))?;
    print(as_text(&rows, &facts))?;
    say(format_args!("Files: {}", args.out.display()));
    Ok(Status::AllValid)
}

/// The date in UTC, the processor and the build: names and values.
fn facts(backends: &[Backend]) -> [(&'static str, String); 6] {
    let names: Vec<_> = backends.iter().map(|backend| backend.name()).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    [
        ("date", Timestamp::now().strftime("%Y-%m-%d").to_string()),
        ("processor", processor()),
        ("threads", threads.to_string()),
        ("backends measured", names.join(" ")),
        ("compiler", COMPILER.to_owned()),
        (
            "klero",
            format!("{} (commit {COMMIT})", env!("CARGO_PKG_VERSION")),
        ),
    ]
}

/// The name of the processor, where the system tells it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let name = fields.find(|(field, _)| field.trim() == "model name");
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim())
        .to_owned()
}

/// What the numbers are, for the terminal and the page.
const HOW_TO_READ: &str =
    "Microseconds of CPU time on one thread for each proof: medians of all rounds.";

fn as_text(rows: &[Row<'_>], facts: &[(&str, String)]) -> String {
    let whole = columns(head(rows), rows);
    let mut short = whole.clone();
    if let Some(rate) = short.last_mut() {
        rate.name = "per second".into();
    }
    let title = page::title(rows);
    let table = layout::table([whole, short]);
    let mut text = format!(
        "{}\n\n{}\n\n{table}\n\n",
        wrap(&title, ""),
        wrap(HOW_TO_READ, "")
    );
    for (name, value) in facts {
        let _ = writeln!(text, "{}", wrap(&format!("{name}: {value}"), "  "));
    }
    text
}

/// The table as columns: the names of the rows, and numbers.
fn columns(head: Vec<String>, rows: &[Row<'_>]) -> Vec<Column> {
    let lines: Vec<_> = rows.iter().map(line).collect();
    let column = |(place, name): (usize, String)| {
        let cells = lines.iter().map(|line| line[place].clone());
        match place {
            0 => Column::words(name, cells),
            _ => Column::numbers(name, cells),
        }
    };
    head.into_iter().enumerate().map(column).collect()
}

/// The head of the table: a column for each backend, and the rate of the first.
fn head(rows: &[Row<'_>]) -> Vec<String> {
    let backends = rows.iter().take(1).flat_map(|row| &row.contenders);
    let names: Vec<_> = backends.map(|contender| contender.backend.name()).collect();
    let rate = names
        .iter()
        .take(1)
        .map(|name| format!("{name}, per second"));
    let names = names.iter().map(|&name| name.to_owned());
    [String::new()]
        .into_iter()
        .chain(names)
        .chain(rate)
        .collect()
}

/// The line of a row in the table.
fn line(row: &Row<'_>) -> Vec<String> {
    let medians = row.contenders.iter().map(|contender| contender.median());
    let rate = medians
        .clone()
        .take(1)
        .map(|time| HumanCount((1e6 / time).round() as u64).to_string());
    [row.name.clone()]
        .into_iter()
        .chain(medians.map(micros))
        .chain(rate)
        .collect()
}

/// A time with three significant digits, or all before the point, in groups of three.
fn micros(time: f64) -> String {
    let decimals = match time {
        x if x >= 999.5 => return HumanCount(x.round() as u64).to_string(),
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{time:.decimals$}")
}
