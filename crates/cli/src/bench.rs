//! `klero bench`: the speed of this build on this machine, in tables, CSV files and a page with
//! charts.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use klero::{Backend, Suite};
use klero_measure::ours::{self, Claims};
use klero_measure::{Directory, Fact, Plan, Report, only, page, run as measure, show};

use crate::error::{Error, Status, say};
use crate::stdout::print;

/// Measure how fast this machine verifies and proves
///
/// Times are CPU times of one thread. Prints tables, and writes CSV files and report.html, a
/// page with charts that needs no network. The program in bench/ of the source tree measures
/// other implementations, too.
#[derive(clap::Args)]
pub struct Args {
    /// Measure for less than two minutes (default: five)
    #[arg(long)]
    quick: bool,
    /// Measure N rounds (at least three), however long that takes
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = clap::value_parser!(u32).range(3..))]
    rounds: Option<u32>,
    /// Only this backend: ifma51, ifma52, avx-ifma, avx512, avx2 or portable (default: all that
    /// the processor has)
    #[arg(long, value_name = "NAME")]
    backend: Option<Backend>,
    /// Only rows whose experiment or name contains this text, such as "prove" or "hash to
    /// curve"
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Directory for the CSV files and report.html; created if it does not exist
    #[arg(long, value_name = "DIR", default_value = "klero-bench")]
    out: PathBuf,
    /// Also measure time and memory for growing batches, up to N claims in one call (1024 to
    /// 16777216; a million claims need about 1 GB)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1024..=1 << 24))]
    grow: Option<u32>,
}

/// The duration of a quick run and of a whole one, and the most rounds of each.
const QUICK: (Duration, usize) = (Duration::from_secs(75), 30);
const WHOLE: (Duration, usize) = (Duration::from_secs(270), 100);

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Error> {
    // First, because minutes of measuring are lost if the results cannot be written.
    let directory = Directory::create(&args.out).map_err(cannot_write)?;
    let backends = args
        .backend
        .map_or_else(Backend::all, |backend| vec![backend]);
    let plan = match (args.rounds, args.quick) {
        (Some(rounds), _) => Plan::rounds(rounds as usize),
        (None, true) => Plan::time(QUICK.0, QUICK.1),
        (None, false) => Plan::time(WHOLE.0, WHOLE.1),
    };

    let short = Claims::new(Suite::PRAOS, ours::TOGETHER);
    let long = Claims::new(Suite::RFC9381_ELL2_BC, ours::TOGETHER);
    let summed = Claims::new(long.suite, ours::SUMMED);
    let few_keys = Claims::of_keys(Suite::PRAOS, ours::TOGETHER, ours::KEYS);
    let mut rows = ours::alone_rows(&[&short], &backends);
    rows.push(ours::kept_keys_row(&few_keys, &backends));
    rows.extend([ours::ed25519_row(&backends), ours::blake2b_row(&backends)]);
    rows.extend(ours::wrong_rows(&summed, &backends));
    rows.extend(ours::size_rows(&long, &backends));
    rows.extend(ours::size_rows(&short, &backends));
    for &backend in &backends {
        rows.extend(ours::stage_rows(&short, &long, backend));
    }
    rows.extend(ours::hash_to_curve_rows(short.len(), &backends));
    if let Some(text) = &args.only {
        rows = only(rows, text).map_err(|fault| Error::at("--only", fault))?;
    }
    let run = measure(rows, &plan).map_err(|fault| Error::at("bench", fault))?;

    let names: Vec<_> = backends.iter().map(|&b| ours::name_of(b)).collect();
    let contenders: Vec<&str> = names.iter().map(String::as_str).collect();
    let slowest: Vec<&str> = contenders.last().copied().into_iter().collect();
    let mut sections = vec![
        ours::result_section(&run, [short.suite, long.suite], &contenders),
        ours::size_section(&run, &[long.suite, short.suite]),
        ours::alone_section(&run, &slowest),
        ours::stage_section(&run, &backends),
        ours::hash_to_curve_section(&run),
    ];
    if let Some(most) = args.grow {
        for suite in [long.suite, short.suite] {
            let grown = ours::growth(suite, backends[0], most as usize, |line| {
                say(format_args!(
                    "{}: {} claims done",
                    suite.name(),
                    line.claims
                ));
            });
            let grown = grown.ok_or_else(|| Error::new("bench: a valid claim was rejected"))?;
            let section = ours::growth_section(suite, backends[0], &grown);
            let name = format!("growth-{}.csv", suite.name());
            directory
                .write_table(&name, &section.tables[0])
                .map_err(cannot_write)?;
            sections.push(section);
        }
    }

    let mut report = Report::new("Klero on this machine", &run, sections);
    let measured = Fact::new("backends measured", contenders.join(" "));
    report.facts.push(measured);
    directory
        .write_run(&run, &report.facts)
        .and_then(|()| directory.write_text("report.html", &page(&report)))
        .map_err(cannot_write)?;
    print(show(&report))?;
    say(format_args!("Files: {}", directory.path().display()));
    Ok(Status::AllValid)
}

/// An error of the measuring crate, which names the file.
fn cannot_write(error: impl Display) -> Error {
    Error::new(error.to_string())
}
