//! The experiments of the studies that this project began with: the studies' column names and
//! published figures, beside the times measured here.
//!
//! All columns are contenders of one row, so that compared times were measured together. A
//! *side* is an implementation; its contenders are called `side: column`.

use klero::{Backend, Method, Verifier, Weights};
use klero_files::WriteError;
use klero_measure::ours::{self, Claims, SIZES};
use klero_measure::{Cell, Directory, Measured, Row, Run, Section, Table};
use klero_peer::Peer;

use crate::contender::{Work, as_bytes};
use crate::libsodium;
use crate::steps::{add_combined, add_each};
use crate::suites::{Peers, Suites, name};

/// The titles of the studies. The first two are about the proposal of Badertscher and others,
/// <https://eprint.iacr.org/2022/1045>.
const BENCHMARKS: &str = "the study “VRF benchmarks”";
const BATCHING: &str = "the study “VRF Batching”";
const CRATE: &str = "“Verifiable Random Function”, the page of the crate vrf_dalek";

/// A table of a study.
struct Study {
    /// The experiment, and the name of its file.
    name: &'static str,
    title: &'static str,
    /// Where the figures were published.
    source: &'static str,
    text: &'static str,
    /// Column names and the published figures in microseconds for each proof.
    columns: &'static [(&'static str, f64)],
    /// A microsecond for each proof, in the unit of the file.
    scale: f64,
}

const PRAOS: Study = Study {
    name: "results_praos",
    title: "results_praos.csv: single verification and its parts",
    source: BENCHMARKS,
    text: "verif: constant-time multiplications and an inversion for every encoding. verif_opt: \
           variable time. verif_opt_blake, verif_try_inc: with BLAKE2b, with try and increment. \
           batch_compatible: a proof of 128 bytes by itself. api_mul, internal_mul: one \
           multiplication through libsodium's API (if libsodium is installed), and without its \
           checks. single_multi: the equations of one proof as one multiscalar multiplication.",
    columns: &[
        ("verif", 201.0),
        ("verif_opt", 142.0),
        ("verif_opt_blake", 142.0),
        ("verif_try_inc", 135.0),
        ("batch_compatible", 124.0),
        ("api_mul", 90.0),
        ("internal_mul", 51.0),
        ("single_multi", 84.0),
    ],
    scale: klero_measure::SECONDS,
};

const BATCH: Study = Study {
    name: "results_batch",
    title: "results_batch.csv: a batch of 856",
    source: BENCHMARKS,
    text: "draft-13 in 80 bytes, in 128 bytes one by one, and in 128 bytes together.",
    columns: &[
        ("normal_verif", 93.472),
        ("batch_compat_verif", 94.056),
        ("batch_verif", 54.576),
    ],
    scale: klero_measure::MILLISECONDS,
};

const BATCH_200: Study = Study {
    name: "results_batch_200",
    title: "The same for a batch of 200",
    source: BENCHMARKS,
    text: "The study names this size as its end goal, and has no figures for it.",
    columns: &[
        ("normal_verif", f64::NAN),
        ("batch_compat_verif", f64::NAN),
        ("batch_verif", f64::NAN),
    ],
    scale: klero_measure::MILLISECONDS,
};

/// The number of proofs in each column of `batch_results.csv`.
const STEPS: usize = 1024;

const STEPS_4_5: Study = Study {
    name: "batch_results",
    title: "batch_results.csv: steps 4 and 5 for 1024 proofs",
    source: BATCHING,
    text: "U and V alone, from decoded points: by two multiplications for each proof (No batch), \
           or as random combinations of a whole batch. The file has milliseconds for all 1024 \
           proofs, as the study does; the table has µs for each.",
    columns: &[
        ("No batch", 83_547.052 / 1024.0),
        ("Batch size 1", 76_738.304 / 1024.0),
        ("Batch size 2", 65_952.413 / 1024.0),
        ("Batch size 4", 67_722.751 / 1024.0),
        ("Batch size 8", 64_462.740 / 1024.0),
        ("Batch size 16", 57_596.202 / 1024.0),
        ("Batch size 32", 46_550.699 / 1024.0),
        ("Batch size 64", 50_980.108 / 1024.0),
        ("Batch size 128", 42_380.395 / 1024.0),
        ("Batch size 256", 33_820.934 / 1024.0),
        ("Batch size 512", 32_630.467 / 1024.0),
        ("Batch size 1024", 29_648.970 / 1024.0),
    ],
    scale: 1.024,
};

/// The crate's criterion table: batch sizes, and the published middle figures in microseconds
/// for a call: deterministic, random, multiscalar multiplication alone.
const CRITERION: [(usize, [f64; 3]); 10] = [
    (2, [209.65, 189.77, 119.74]),
    (4, [372.49, 335.83, 197.03]),
    (8, [693.18, 624.47, 379.48]),
    (16, [1353.2, 1214.6, 722.97]),
    (32, [2644.7, 2270.8, 1406.3]),
    (64, [4984.5, 4244.6, 2343.1]),
    (128, [9408.5, 7931.5, 4091.2]),
    (256, [17712.0, 14676.0, 7189.2]),
    (512, [34552.0, 28108.0, 12922.0]),
    (1024, [66553.0, 54584.0, 24333.0]),
];

/// The lines of that table: name and published microseconds for each proof.
fn criterion_lines() -> Vec<(String, f64)> {
    let mut lines = vec![
        ("VRF10/Generation".to_owned(), 154.50),
        ("VRF10/Verification".to_owned(), 114.26),
        (format!("{COMPAT}/Generation"), 167.78),
        (format!("{COMPAT}/Single Verification"), 117.90),
    ];
    for (of, which) in [(DETERMINISTIC, 0), (RANDOM, 1), (MULTISCALAR, 2)] {
        for (n, figures) in CRITERION {
            lines.push((format!("{COMPAT}/{of}/{n}"), figures[which] / n as f64));
        }
    }
    lines
}

const COMPAT: &str = "VRF10 Batch Compat";
const DETERMINISTIC: &str = "Batch Verification (deterministic)";
const RANDOM: &str = "Batch Verification (random)";
const MULTISCALAR: &str = "Multiscalar multiplication (no insertion)";
const CRITERION_NAME: &str = "criterion";

/// The sides: the fastest measured backend of Klero, and the composed peer.
pub struct Sides<'p> {
    /// Klero's backend.
    pub backend: Backend,
    /// The composed peer with its best backend, if it was built.
    pub composed: Option<&'p dyn Peer>,
}

impl<'p> Sides<'p> {
    /// The first of these backends, and the first composed peer.
    pub fn of(backends: &[Backend], peers: &'p Peers) -> Self {
        Self {
            backend: backends[0],
            composed: peers.named("dalek5"),
        }
    }

    /// All implementations, the one with the most columns first.
    fn names(&self) -> Vec<String> {
        let composed = self.composed.map(name);
        let others = [self.klero(), self.many(), "libsodium".to_owned()];
        composed.into_iter().chain(others).collect()
    }

    fn klero(&self) -> String {
        ours::name_of(self.backend)
    }

    /// The name of the side of Klero that verifies all proofs in one call.
    fn many(&self) -> String {
        format!("{}, many at once", self.klero())
    }
}

/// Verifies the first `total` claims in one call, without sums.
fn verify_without_sums<'c>(
    claims: &'c Claims,
    backend: Backend,
    total: usize,
) -> impl FnMut() -> bool + 'c {
    move || {
        let verifier = Verifier::new(claims.suite)
            .backend(backend)
            .method(Method::OneByOne);
        let batch: Vec<_> = (0..total).map(|i| claims.claim(i)).collect();
        verifier
            .verify_many(&batch)
            .verdicts
            .iter()
            .all(Result::is_ok)
    }
}

/// Every row of every study.
pub fn rows<'p>(sides: &Sides<'p>, peers: &'p Peers, suites: &'p Suites) -> Vec<Row<'p>> {
    vec![
        praos_row(sides, peers, suites),
        batch_row(&BATCH, 856, sides, peers, suites),
        batch_row(&BATCH_200, 200, sides, peers, suites),
        steps_row(sides, suites),
        criterion_row(sides, peers, suites),
    ]
}

/// Adds an experiment of the composed peer.
fn experiment(row: &mut Row<'_>, sides: &Sides<'_>, column: &str, what: &str, claims: &Claims) {
    let Some(peer) = sides.composed else { return };
    let work = peer.experiment(what, claims.suite.name(), &as_bytes(claims));
    if let Some(work) = work {
        row.add_of(format!("{}: {column}", name(peer)), claims.len(), work);
    }
}

/// Adds work of the composed peer.
fn join<'p>(
    row: &mut Row<'p>,
    sides: &Sides<'p>,
    peers: &'p Peers,
    column: &str,
    claims: &'p Claims,
    work: Work,
) {
    if let Some(peer) = sides.composed {
        let as_name = format!("{}: {column}", name(peer));
        peers.join_as(row, as_name, peer, claims, work);
    }
}

fn praos_row<'p>(sides: &Sides<'p>, peers: &'p Peers, suites: &'p Suites) -> Row<'p> {
    const N: usize = 64;
    let mut row = Row::new(PRAOS.name, "single verification and its parts", N);
    let backend = sides.backend;
    let praos = suites.of("praos");
    experiment(&mut row, sides, "verif", "verif", praos);
    for (column, suite) in [
        ("verif_opt", "praos"),
        ("verif_opt_blake", "praos-blake2b"),
        ("verif_try_inc", "praos-tai"),
        ("batch_compatible", "praos-128"),
    ] {
        let claims = suites.of(suite);
        join(&mut row, sides, peers, column, claims, Work::Verify(N));
        let alone = ours::verify(claims, ours::verifier(claims, backend), N, 1);
        row.add(format!("{}: {column}", sides.klero()), alone);
        let many = verify_without_sums(claims, backend, N);
        row.add(format!("{}: {column}", sides.many()), many);
    }
    if let Some(work) = libsodium::api_mul(praos, N) {
        row.add("libsodium: api_mul", work);
    }
    experiment(&mut row, sides, "internal_mul", "internal_mul", praos);
    experiment(&mut row, sides, "single_multi", "single_multi", praos);
    let who = format!("{}: single_multi", sides.klero());
    add_combined(&mut row, who, suites.of("praos-128"), backend, N, 1);
    row
}

fn batch_row<'p>(
    study: &Study,
    n: usize,
    sides: &Sides<'p>,
    peers: &'p Peers,
    suites: &'p Suites,
) -> Row<'p> {
    let mut row = Row::new(study.name, format!("batch of {n}"), n);
    let (short, long) = (suites.of("draft13"), suites.of("draft13-bc"));
    for (column, claims, work) in [
        ("normal_verif", short, Work::Verify(n)),
        ("batch_compat_verif", long, Work::Verify(n)),
        ("batch_verif", long, Work::Batch(n, n)),
    ] {
        join(&mut row, sides, peers, column, claims, work);
        let who = format!("{}: {column}", sides.klero());
        if column == "batch_compat_verif" {
            row.add(who, verify_without_sums(claims, sides.backend, n));
        } else {
            let verifier = ours::verifier(claims, sides.backend);
            row.add(who, ours::verify(claims, verifier, n, n));
        }
    }
    row
}

fn steps_row<'p>(sides: &Sides<'p>, suites: &'p Suites) -> Row<'p> {
    let mut row = Row::new(STEPS_4_5.name, "steps 4 and 5", STEPS);
    let claims = suites.of("rfc9381-ell2-bc");
    experiment(&mut row, sides, "No batch", "steps", claims);
    let who = format!("{}: No batch", sides.klero());
    add_each(&mut row, who, claims, sides.backend, STEPS);
    for size in SIZES {
        let (column, what) = (format!("Batch size {size}"), format!("steps {size}"));
        experiment(&mut row, sides, &column, &what, claims);
        let who = format!("{}: {column}", sides.klero());
        add_combined(&mut row, who, claims, sides.backend, STEPS, size);
    }
    row
}

fn criterion_row<'p>(sides: &Sides<'p>, peers: &'p Peers, suites: &'p Suites) -> Row<'p> {
    const N: usize = 64;
    let mut row = Row::new(CRITERION_NAME, "the crate's table", N);
    let (short, long) = (suites.of("draft10-tai"), suites.of("draft10-tai-bc"));
    let published: Vec<_> = ["vrf_dalek-deterministic", "vrf_dalek-random"]
        .iter()
        .filter_map(|name| peers.named(name))
        .chain(sides.composed)
        .collect();
    let columns = criterion_lines();
    let [generation, verification, compat_generation, single, ..] = &columns[..] else {
        return row;
    };
    for (column, claims, work) in [
        (generation, short, Work::Prove(N)),
        (verification, short, Work::Verify(N)),
        (compat_generation, long, Work::Prove(N)),
        (single, long, Work::Verify(N)),
    ] {
        for peer in &published {
            let as_name = format!("{}: {}", name(*peer), column.0);
            peers.join_as(&mut row, as_name, *peer, claims, work);
        }
        let who = format!("{}: {}", sides.klero(), column.0);
        match work {
            Work::Prove(_) => row.add(who, ours::prove(claims, sides.backend, N, 1)),
            _ => {
                let verifier = ours::verifier(claims, sides.backend);
                row.add(who, ours::verify(claims, verifier, N, 1));
            }
        }
    }
    for (size, _) in CRITERION {
        let total = size.max(N);
        let work = Work::Batch(total, size);
        for (of, peer) in [
            (DETERMINISTIC, peers.named("vrf_dalek-deterministic")),
            (RANDOM, peers.named("vrf_dalek-random")),
            (DETERMINISTIC, sides.composed),
        ] {
            if let Some(peer) = peer {
                let as_name = format!("{}: {COMPAT}/{of}/{size}", name(peer));
                peers.join_as(&mut row, as_name, peer, long, work);
            }
        }
        for (of, weights) in [
            (DETERMINISTIC, Weights::Hashed),
            (RANDOM, Weights::Random([7; 32])),
        ] {
            let who = format!("{}: {COMPAT}/{of}/{size}", sides.klero());
            let verifier = ours::verifier(long, sides.backend).weights(weights);
            let work = ours::verify(long, verifier, total, size);
            row.add_of(who, total, work);
        }
        let column = format!("{COMPAT}/{MULTISCALAR}/{size}");
        let what = format!("steps {size}");
        // The peer prepares all claims.
        experiment(&mut row, sides, &column, &what, long);
        let who = format!("{}: {column}", sides.klero());
        add_combined(&mut row, who, long, sides.backend, total, size);
    }
    row
}

/// The sections of all studies that were measured.
pub fn sections(run: &Run, sides: &Sides<'_>) -> Vec<Section> {
    let mut sections = Vec::new();
    for study in [&PRAOS, &BATCH, &BATCH_200, &STEPS_4_5] {
        for row in run.of(study.name) {
            let columns: Vec<_> = study
                .columns
                .iter()
                .map(|(c, us)| ((*c).to_owned(), *us))
                .collect();
            let text = format!("From {}. {}", study.source, study.text);
            let mut section = Section::new(study.title, text);
            let table = table(study.title, &columns, 0, row, &sides.names());
            section.tables.push(table);
            sections.push(section);
        }
    }
    sections.extend(criterion_section(run, sides));
    sections
}

/// The crate's table.
fn criterion_section(run: &Run, sides: &Sides<'_>) -> Option<Section> {
    let row = run.of(CRITERION_NAME).next()?;
    let title = "The crate's criterion table";
    let text = format!(
        "From {CRATE}. Times are µs for each proof; the page has them for each call. The ratio \
         is that to a single verification. Klero verifies small batches in lanes, and by sums \
         from its own threshold on; weights are hashed or random."
    );
    let mut section = Section::new(title, text);
    let published = ["vrf_dalek-deterministic", "vrf_dalek-random"].map(str::to_owned);
    let names: Vec<_> = published.into_iter().chain(sides.names()).collect();
    let table = table(title, &criterion_lines(), 3, row, &names);
    section.tables.push(table);
    Some(section)
}

/// A line for each column of the study; a pair of columns for the study and for each side
/// that was measured: the figure, and its ratio to the column number `base` of that side,
/// or of the first side if it has no such column.
fn table(
    title: &str,
    columns: &[(String, f64)],
    base: usize,
    row: &Measured,
    sides: &[String],
) -> Table {
    let (base_name, base_us) = &columns[base];
    let has_figures = !base_us.is_nan();
    let of = |side: &str, column: &str| format!("{side}: {column}");
    let there: Vec<_> = sides
        .iter()
        .filter(|side| {
            columns
                .iter()
                .any(|(column, _)| row.get(&of(side, column)).is_some())
        })
        .collect();
    let mut head = vec![String::new()];
    if has_figures {
        head.extend(["study, µs".to_owned(), "ratio".to_owned()]);
    }
    let base_of = |side: &str| {
        let own = of(side, base_name);
        let first = || {
            of(
                there.first().map_or(side, |first| first.as_str()),
                base_name,
            )
        };
        if row.get(&own).is_some() {
            (own, true)
        } else {
            (first(), false)
        }
    };
    for side in &there {
        head.push(format!("{side}, µs"));
        head.push(match base_of(side) {
            (_, true) => "ratio".into(),
            (_, false) => format!("to {}'s {base_name}", there[0]),
        });
    }
    let mut table = Table::new(title, head);
    for (column, us) in columns {
        let mut line = vec![Cell::text(column)];
        if has_figures {
            line.push(Cell::Micros(*us));
            line.push(Cell::text(format!("{:.2}", us / base_us)));
        }
        for side in &there {
            let own = of(side, column);
            line.push(Cell::median(row.get(&own)));
            line.push(Cell::part(row.ratio(&own, &base_of(side).0)));
        }
        table.lines.push(line);
    }
    table
}

/// Writes the studies' files, in their units: a column for each of theirs, and a line for each
/// round of each implementation.
pub fn write(directory: &Directory, run: &Run, sides: &Sides<'_>) -> Result<(), WriteError> {
    for study in [&PRAOS, &BATCH, &BATCH_200, &STEPS_4_5] {
        let columns: Vec<_> = study.columns.iter().map(|(column, _)| *column).collect();
        for row in run.of(study.name) {
            let file = format!("{}.csv", study.name);
            directory.write_wide(&file, row, &sides.names(), &columns, study.scale)?;
        }
    }
    if let Some(section) = criterion_section(run, sides) {
        directory.write_table("criterion.csv", &section.tables[0])?;
    }
    Ok(())
}
