//! Klero and its peers, measured side by side in one process. See the README.

mod compile;
mod contender;
mod contest;
mod copies;
mod crates;
mod facts;
mod headers;
mod libsodium;
mod others;
mod rows;
mod studies;
mod suites;
mod tokens;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use klero::Backend;
use klero_measure::ours::{self, TOGETHER};
use klero_measure::{
    Cell, Directory, Fact, Plan, Report, Run, Section, Table, fill, page, per_second, run, show,
};
use klero_support::Output;
use time::OffsetDateTime;

use compile::SharedObject;
use contest::Contest;
use copies::COPIES;
use studies::Sides;
use suites::Suites;

/// Measures Klero and its peers side by side: same inputs, one thread, CPU time.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Measure for less than two minutes once everything is built
    #[arg(long)]
    quick: bool,
    /// Measure N rounds (at least three) with each copy of the program, however long they take
    #[arg(long, value_name = "N", conflicts_with = "quick")]
    rounds: Option<usize>,
    /// Only this backend of Klero: ifma51, ifma52, avx-ifma, avx512, avx2 or portable
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// Only rows whose experiment or name contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// A peer in a shared object, called NAME; may be given again
    #[arg(long, value_name = "NAME=FILE")]
    plugin: Vec<String>,
    /// Also show how time and memory grow, up to N claims in one call (1048576 with --fill,
    /// unless with --only)
    #[arg(long, value_name = "N")]
    grow: Option<usize>,
    /// Put the tables of this run into a Markdown page, between its marks; may be given again
    #[arg(long, value_name = "FILE")]
    fill: Vec<PathBuf>,
    /// Directory of the records: the files of this run go into a directory in it that is named
    /// by the date
    #[arg(long, value_name = "DIRECTORY", default_value = "results")]
    out: PathBuf,
    /// Only measure, beside shared objects that are built, and leave the times in this file: what
    /// copies of the program are started with
    #[arg(long, value_name = "FILE", hide = true)]
    measured: Option<PathBuf>,
}

/// The duration of a quick run and of a whole one, and the largest number of rounds of each copy.
const QUICK: (Duration, usize) = (Duration::from_secs(80), 15);
const WHOLE: (Duration, usize) = (Duration::from_secs(600), 50);

/// The largest number of claims of the growth tables in a page.
const GROWN: usize = 1 << 20;

/// The largest size of a page in bytes.
const PAGE: u64 = 1 << 24;

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(file) = &arguments.measured {
        return measure(&arguments, file);
    }
    // First, because minutes of measuring are lost if the results cannot be written.
    let today = OffsetDateTime::now_utc().date().to_string();
    let directory = Directory::create(arguments.out.join(&today))?;
    for path in &arguments.fill {
        klero_support::read(path, PAGE)?;
    }
    // Building peers takes minutes, so they are built only for rows that they can join.
    let contest = arguments.contest(SharedObject::build)?;
    let Contest {
        backends,
        suites,
        peers,
        ..
    } = &contest;
    for fault in &peers.left_out {
        eprintln!("Left out: {fault}");
    }
    let sides = contest.sides();
    // What is wrong with --only is said before anything is copied.
    contest.rows(&sides, arguments.only.as_deref())?;
    let run = copies::measure()?;

    let mut sections = sections(&run, backends, &sides, suites);
    studies::write(&directory, &run, &sides)?;
    tokens::write(&directory, &run)?;
    let for_page = !arguments.fill.is_empty() && arguments.only.is_none();
    if let Some(most) = arguments.grow.or(for_page.then_some(GROWN)) {
        for suite in ["rfc9381-ell2-bc", "praos"] {
            let suite = suites.of(suite).suite;
            let done = |line: &ours::Grown| eprintln!("{suite}: {} claims done", line.claims);
            let grown = ours::growth(suite, backends[0], most, done);
            let grown = grown.context("a valid claim was rejected")?;
            let section = ours::growth_section(suite, backends[0], &grown);
            directory.write_table(&format!("growth-{}.csv", suite.name()), &section.tables[0])?;
            sections.push(section);
        }
    }

    let mut report = Report::new(title(&run, backends), &run, sections);
    report.facts.insert(0, Fact::new("date", today));
    report.facts.push(copies::fact(&run));
    report.facts.extend(facts::facts(backends, peers));
    for fault in &peers.left_out {
        report.warnings.push(format!("Left out: {fault}."));
    }
    directory.write_run(&run, &report.facts)?;
    directory.write_text("report.html", &page(&report))?;
    print!("{}", show(&report));
    for path in &arguments.fill {
        fill_page(path, &report)?;
    }
    println!("\nFiles: {}", directory.path().display());
    Ok(())
}

/// What each copy of the program does: it measures, and leaves the times in a file.
fn measure(arguments: &Arguments, file: &Path) -> Result<()> {
    let contest = arguments.contest(copies::find)?;
    let sides = contest.sides();
    let rows = contest.rows(&sides, arguments.only.as_deref())?;
    let run = run(rows, &arguments.plan())?;
    let mut output = Output::create(file)?;
    serde_json::to_writer(&mut output, &run)?;
    Ok(output.commit()?)
}

impl Arguments {
    fn contest(&self, find: impl Fn(&SharedObject) -> Result<PathBuf>) -> Result<Contest> {
        let (backend, only) = (self.backend.as_deref(), self.only.as_deref());
        Contest::new(backend, only, &self.plugin, find)
    }

    /// The plan of one copy.
    fn plan(&self) -> Plan {
        let time = |(all, most): (Duration, usize)| Plan::time(all / COPIES as u32, most);
        match (self.rounds, self.quick) {
            (Some(rounds), _) => Plan::rounds(rounds),
            (None, true) => time(QUICK),
            (None, false) => time(WHOLE),
        }
    }
}

/// What the run shows, in one sentence.
fn title(run: &Run, backends: &[Backend]) -> String {
    let row = run.row("together", &format!("verify {TOGETHER}, 80 bytes, praos"));
    let series = row.and_then(|row| row.get(&ours::name_of(backends[0])));
    match series {
        Some(series) => {
            let rate = per_second(series.median());
            format!("One core verifies {rate} Cardano proofs a second")
        }
        None => "Klero and its peers, side by side".into(),
    }
}

/// Puts the tables of the report into a Markdown page.
fn fill_page(path: &Path, report: &Report) -> Result<()> {
    let (text, missing) = fill(&klero_support::read_text(path, PAGE)?, report);
    for title in missing {
        eprintln!("{}: this run has no table {title:?}", path.display());
    }
    let mut output = Output::create(path)?;
    output.write_all(text.as_bytes())?;
    Ok(output.commit()?)
}

/// The report's sections, the result first.
fn sections(run: &Run, backends: &[Backend], sides: &Sides<'_>, suites: &Suites) -> Vec<Section> {
    let baselines = [
        "dalek5-ifma",
        "dalek5-avx2",
        "dalek5-serial",
        "vrf_dalek-random",
    ];
    let first = ours::name_of(backends[0]);
    let fastest_peers = baselines.iter().filter(|name| **name != "dalek5-serial");
    let compared: Vec<_> = [&*first]
        .into_iter()
        .chain(fastest_peers.copied())
        .collect();
    let headlines = ["praos", "draft10-tai-bc"].map(|suite| suites.of(suite).suite);
    let charted = ["rfc9381-ell2-bc", "draft10-tai-bc", "praos"];
    let mut sections = vec![
        ours::result_section(run, headlines, &compared),
        ours::size_section(run, &charted.map(|suite| suites.of(suite).suite)),
        ours::alone_section(run, &baselines),
        others::section(run),
        ours::stage_section(run, backends),
        ours::hash_to_curve_section(run),
    ];
    sections.extend(chain_section(run));
    sections.push(headers::section(run));
    sections.extend(studies::sections(run, sides));
    sections.push(tokens::section(run));
    sections
}

/// The number of proofs in the headers of Cardano's mainnet from Shelley to late 2026: about 3.3
/// million blocks before Babbage with two each, and about 6.5 million since with one each.
const MAINNET: f64 = 13.1e6;

/// The time to verify all of these proofs, computed from the row of 1024 praos proofs.
fn chain_section(run: &Run) -> Option<Section> {
    let name = format!("verify {TOGETHER}, 80 bytes, praos");
    let row = run.row("together", &name)?;
    let mut section = Section::new(
        "The proofs of a whole mainnet chain",
        "The headers from Shelley to late 2026 contain about 13 million proofs. This is the time \
         to verify them on one core, without reading them from disk and without checking \
         signatures.",
    );
    let mut table = Table::new(
        "13 million praos proofs on one core",
        ["", "µs each", "seconds"],
    );
    for series in &row.series {
        let (name, time) = (Cell::text(&series.contender), series.median());
        let seconds = Cell::Count((time * MAINNET * 1e-6).round() as u64);
        table.lines.push(vec![name, Cell::Micros(time), seconds]);
    }
    section.tables.push(table);
    Some(section)
}
