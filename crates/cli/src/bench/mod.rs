//! `klero bench`: the speed of this build on this machine, in a table and bars.

mod rounds;
mod work;

use std::fmt::Write;

use indicatif::HumanCount;
use jiff::Timestamp;
use klero::Backend;
use serde_json::json;

use crate::args::choice;
use crate::ui::error::{Error, Status};
use crate::ui::layout::{self, Column, wrap};
use crate::ui::terminal::print;
use crate::version::{COMMIT, COMPILER};
use rounds::{Plan, Row, measure};
use work::{CARDANO, Sets};

/// Measure how fast this machine verifies and proves
///
/// Times are CPU times of one thread. The program in bench/ of the source tree also measures the stages of
/// the work, other batch sizes and other implementations, and writes a report with charts.
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
    /// Print a JSON line for each row and backend, with the times of all rounds, the processor and the build
    #[arg(long)]
    json: bool,
}

/// Runs `klero bench`.
pub fn run(args: &Args) -> Result<Status, Error> {
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
    print(match args.json {
        true => as_json(&rows),
        false => as_text(&rows),
    })?;
    Ok(Status::AllValid)
}

/// The names and values of facts about this run: the date, the processor and the build.
fn facts() -> [(&'static str, String); 4] {
    let klero = format!("{} (commit {COMMIT})", env!("CARGO_PKG_VERSION"));
    [
        ("date", Timestamp::now().strftime("%Y-%m-%d").to_string()),
        ("processor", processor()),
        ("compiler", COMPILER.to_owned()),
        ("klero", klero),
    ]
}

/// The name of the processor, or its architecture if the system does not give the name.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let name = fields.find(|(field, _)| field.trim() == "model name");
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim())
        .to_owned()
}

/// Returns a JSON line for each backend of each row. Every line repeats the facts, so that lines from
/// several machines can be joined into one table.
fn as_json(rows: &[Row<'_>]) -> String {
    let (mut text, facts) = (String::new(), facts());
    for row in rows {
        for contender in &row.contenders {
            let mut line = json!({
                "row": row.name,
                "proofs": row.items,
                "backend": contender.backend.name(),
                "min_us": contender.quantile(0.0),
                "median_us": contender.median(),
                "p90_us": contender.quantile(0.9),
                "samples_us": contender.samples,
            });
            for (name, value) in &facts {
                line[*name] = value.as_str().into();
            }
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn as_text(rows: &[Row<'_>]) -> String {
    let whole = columns(rows);
    let mut short = whole.clone();
    if let Some(rate) = short.last_mut() {
        rate.name = "per second".into();
    }
    let how_to_read =
        "Microseconds of CPU time on one thread for each proof: medians of all rounds.";
    let mut text = format!(
        "{}\n\n{}\n\n{}\n\n",
        wrap(&title(rows), ""),
        wrap(how_to_read, ""),
        layout::table([whole, short])
    );
    if let [first, ..] = rows {
        text += &bars(first);
    }
    for (name, value) in facts() {
        let _ = writeln!(text, "{}", wrap(&format!("{name}: {value}"), "  "));
    }
    text
}

/// The result in one sentence.
fn title(rows: &[Row<'_>]) -> String {
    let row = rows.iter().find(|row| row.name == CARDANO);
    match row.and_then(|row| row.contenders.first()) {
        Some(fastest) => {
            let rate = (1e6 / fastest.median()) as u64;
            // Keeps three digits, because the digits after them differ from run to run.
            let unit = 10_u64.pow(rate.checked_ilog10().unwrap_or_default().saturating_sub(2));
            let rate = HumanCount((rate + unit / 2) / unit * unit);
            format!("One core verifies {rate} Cardano proofs a second")
        }
        None => "Klero on this machine".into(),
    }
}

/// Returns columns with the names of the rows, their times on each backend, and their rates on the first
/// backend.
fn columns(rows: &[Row<'_>]) -> Vec<Column> {
    let median = |row: &Row<'_>, place: usize| row.contenders[place].median();
    let mut columns = vec![Column::words("", rows.iter().map(|row| row.name.clone()))];
    let contenders = rows.first().map_or(&[][..], |row| &row.contenders);
    for (place, contender) in contenders.iter().enumerate() {
        let times = rows.iter().map(|row| micros(median(row, place)));
        columns.push(Column::numbers(contender.backend.name(), times));
    }
    if let Some(first) = contenders.first() {
        let rate = |row| HumanCount((1e6 / median(row, 0)).round() as u64).to_string();
        let name = format!("{}, per second", first.backend.name());
        columns.push(Column::numbers(name, rows.iter().map(rate)));
    }
    columns
}

/// A bar for the time of each backend: shorter is better.
fn bars(row: &Row<'_>) -> String {
    /// The length of the longest bar, in characters.
    const LENGTH: f64 = 40.0;
    let medians = row.contenders.iter().map(|contender| contender.median());
    let longest = medians.fold(f64::MIN_POSITIVE, f64::max);
    let mut text = format!("{}\n", row.name);
    for contender in &row.contenders {
        let (name, time) = (contender.backend.name(), contender.median());
        let bar = "█".repeat((LENGTH * time / longest).round() as usize);
        let _ = writeln!(text, "  {name:8} {bar} {}", micros(time));
    }
    text + "\n"
}

/// Formats a time with three digits (at most two decimals). From 1,000 on, it is a whole number with commas.
fn micros(time: f64) -> String {
    let decimals = match time {
        x if x >= 999.5 => return HumanCount(x.round() as u64).to_string(),
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{time:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row whose only sample is `time`, in microseconds.
    fn measured(name: &str, time: f64) -> Row<'static> {
        let mut row = Row::new(name.into(), 1, &[Backend::default()], |_| Box::new(|| true));
        row.contenders[0].samples.push(time);
        row
    }

    #[test]
    fn the_title_is_the_answer() {
        for (time, rate) in [(12.84, "77,900"), (128.3, "7,790"), (2.0e6, "0")] {
            let rows = [measured("prove", 1.0), measured(CARDANO, time)];
            let words = format!("One core verifies {rate} Cardano proofs a second");
            assert_eq!(title(&rows), words);
        }
        assert_eq!(title(&[measured("prove", 1.0)]), "Klero on this machine");
    }
}
