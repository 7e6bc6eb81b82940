//! Where the time goes: the stages that the library's verifier and prover report, beside the
//! same work without reports.

use klero::{Backend, Method, Prover, SecretKey, Stage, Suite, Verifier};

use super::claims::Claims;
use super::rows::{name_of, prove, verifier, verify};
use crate::figure::{Bars, Figure, Steps};
use crate::measured::{Measured, Run};
use crate::run::{Ended, Row};
use crate::section::{Cell, Section, Table};

/// The contender that does the same work in one call, without reports.
const WHOLE: &str = "whole";

/// The work of a contender: verifies the claims in `range` in one call, which reports the
/// stages. It is right if all claims are valid.
///
/// ```
/// use klero::{Backend, Method, Stage, Suite};
/// use klero_measure::ours::{Claims, verify_stages};
/// let claims = Claims::new(Suite::PRAOS, 8);
/// let mut work = verify_stages(&claims, Backend::default(), Method::Auto, 0..8);
/// let mut count = 0;
/// assert!(work(&mut |stage| count += usize::from(stage == Stage::U)));
/// assert_eq!(count, 1);
/// ```
pub fn verify_stages(
    claims: &Claims,
    backend: Backend,
    method: Method,
    range: std::ops::Range<usize>,
) -> impl FnMut(&mut dyn FnMut(Stage)) -> bool {
    let verifier = Verifier::new(claims.suite).backend(backend).method(method);
    move |watch| {
        let claims: Vec<_> = range.clone().map(|i| claims.claim(i)).collect();
        let report = verifier.verify_watched(&claims, watch);
        report.verdicts.iter().all(Result::is_ok)
    }
}

/// The work of a contender: proves all claims in one call, which reports the stages.
fn prove_stages(claims: &Claims, backend: Backend) -> impl FnMut(&mut dyn FnMut(Stage)) -> bool {
    let prover = Prover::new().backend(backend);
    move |watch| {
        let requests = claims.requests(0..claims.len());
        prover.prove_watched(&requests, watch).len() == claims.len()
    }
}

/// Adds a contender for each stage that the work reports, in the order in which the stages
/// first end. Runs the work once to learn them.
fn add_stages<'c>(
    row: &mut Row<'c>,
    name: fn(&Stage) -> String,
    mut work: impl FnMut(&mut dyn FnMut(Stage)) -> bool + 'c,
) {
    let mut stages: Vec<Stage> = Vec::new();
    work(&mut |stage| {
        if !stages.contains(&stage) {
            stages.push(stage);
        }
    });
    let names = stages.iter().map(name).collect();
    row.add_parts(names, row.items(), move |ended: &mut Ended<'_>| {
        work(&mut |stage| ended(stages.iter().position(|known| *known == stage)))
    });
}

/// The name of a stage of proving, which takes square roots only to map to the curve.
fn name_in_proving(stage: &Stage) -> String {
    match stage {
        Stage::Roots => "map to H".to_owned(),
        _ => stage.to_string(),
    }
}

/// Rows of the experiment `stages <backend>`: verifying proofs of 80 bytes, verifying a batch of
/// proofs of 128 bytes, and proving in 80 bytes. Each row has the stages and the whole.
pub fn stage_rows<'c>(short: &'c Claims, long: &'c Claims, backend: Backend) -> Vec<Row<'c>> {
    let row = |what: &str, claims: &Claims| {
        let experiment = format!("stages {}", backend.name());
        Row::new(
            experiment,
            format!("{what}, {}", claims.suite),
            claims.len(),
        )
    };
    let whole = |claims: &'c Claims| {
        let n = claims.len();
        verify(claims, verifier(claims, backend), n, n)
    };
    let stages = |claims| verify_stages(claims, backend, Method::Auto, 0..claims.len());

    let n = short.len();
    let mut verified = row(&format!("verify {n}, 80 bytes"), short);
    add_stages(&mut verified, Stage::to_string, stages(short));
    verified.add(WHOLE, whole(short));
    let mut batch = row(&format!("batch of {}, 128 bytes", long.len()), long);
    add_stages(&mut batch, Stage::to_string, stages(long));
    batch.add(WHOLE, whole(long));
    let mut proven = row(&format!("prove {n}, 80 bytes"), short);
    add_stages(&mut proven, name_in_proving, prove_stages(short, backend));
    proven.add(WHOLE, prove(short, backend, n, n));
    vec![verified, batch, proven]
}

/// The charts and tables of the stages.
pub fn stage_section(run: &Run, backends: &[Backend]) -> Section {
    let mut section = Section::new(
        "Where the time goes",
        "The stages that the library reports, and the same work without reports as the whole. The \
         rest is what no stage accounts for. µs for each proof.",
    );
    for (i, &backend) in backends.iter().enumerate() {
        for row in run.of(&format!("stages {}", backend.name())) {
            let Some(whole) = row.get(WHOLE) else {
                continue;
            };
            let title = format!("{}, {}", row.name(), name_of(backend));
            let mut table = Table::new(&title, ["", "min", "median", "p90", "part"]);
            let mut steps = Vec::new();
            for series in row.series() {
                let part = row.ratio(series.contender(), WHOLE);
                table.lines.push(vec![
                    Cell::text(series.contender()),
                    Cell::Micros(series.min()),
                    Cell::Micros(series.median()),
                    Cell::Micros(series.p90()),
                    Cell::part(part),
                ]);
                if series.contender() != WHOLE {
                    steps.push((series.contender().into(), series.spread()));
                }
            }
            // Charts for the first backend, which is the fastest; tables for all.
            if i == 0 {
                let whole = whole.spread();
                section.figures.push(Figure::Steps(Steps {
                    title: title.clone(),
                    steps,
                    whole,
                }));
            }
            section.tables.push(table);
        }
    }
    section
}

/// Rows of the experiment "hash to curve": from key and alpha to the point H, by the method of
/// each kind of suite. The times are those of two stages of proving.
pub fn hash_to_curve_rows(n: usize, backends: &[Backend]) -> Vec<Row<'static>> {
    let ways = [
        ("Elligator2, draft-03, SHA-512", Suite::PRAOS),
        (
            "Elligator2, draft-03, BLAKE2b",
            klero::experimental::PRAOS_BLAKE2B,
        ),
        ("Elligator2, RFC 9380, SHA-512", Suite::RFC9381_ELL2),
        ("try and increment, SHA-512", Suite::RFC9381_TAI),
    ];
    ways.into_iter()
        .map(|(name, suite)| {
            let mut row = Row::new("hash to curve", name, n);
            for &backend in backends {
                let key = SecretKey::from_seed(suite, &[7; 32]);
                let alphas: Vec<_> = (0..n as u64).map(u64::to_le_bytes).collect();
                row.add_parts(vec![name_of(backend)], n, move |ended: &mut Ended<'_>| {
                    let requests: Vec<_> = alphas.iter().map(|alpha| (&key, &alpha[..])).collect();
                    // The time to collect the requests does not count.
                    ended(None);
                    let mut watch = |stage| {
                        let is_part = matches!(stage, Stage::HashAlpha | Stage::Roots);
                        ended(is_part.then_some(0));
                    };
                    let prover = Prover::new().backend(backend);
                    prover.prove_watched(&requests, &mut watch).len() == n
                });
            }
            row
        })
        .collect()
}

/// The table and the bars of hashing to the curve.
pub fn hash_to_curve_section(run: &Run) -> Section {
    let mut section = Section::new(
        "Hash to curve",
        "From key and alpha to the point H in the prime-order subgroup, as a part of proving. Most \
         of the time goes into square roots; where vector lanes make them cheap, the hash \
         function matters. Drafts from 7 on use the map of RFC 9380.",
    );
    let title = "Hash to curve: µs for each point, medians";
    let table = Table::of_rows(title, "", run.of("hash to curve"));
    section
        .tables
        .extend(Some(table).filter(|table| !table.lines.is_empty()));
    let first = run.of("hash to curve").find_map(|row| row.series().first());
    if let Some(first) = first {
        let bar = |row: &Measured| {
            let series = row.get(first.contender())?;
            Some((row.name().to_owned(), series.spread()))
        };
        section.figures.push(Figure::Bars(Bars {
            title: format!("Hash to curve, {}: µs each", first.contender()),
            bars: run.of("hash to curve").filter_map(bar).collect(),
        }));
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Plan, run};

    #[test]
    fn every_stage_runs_on_every_backend() {
        let short = Claims::new(klero::Suite::PRAOS, 9);
        let long = Claims::new(klero::Suite::RFC9381_ELL2_BC, 9);
        let backends = Backend::all();
        let mut rows = hash_to_curve_rows(9, &backends);
        for &backend in &backends {
            rows.extend(stage_rows(&short, &long, backend));
        }
        let run = run(rows, &Plan::rounds(3)).unwrap();
        let section = stage_section(&run, &backends);
        assert_eq!(section.figures.len(), 3);
        assert_eq!(section.tables.len(), 3 * backends.len());
        assert_eq!(hash_to_curve_section(&run).tables[0].lines.len(), 4);
    }

    #[test]
    fn stages_make_the_whole() {
        let claims = Claims::new(klero::Suite::PRAOS, 64);
        let rows = stage_rows(&claims, &claims, Backend::default());
        let run = run(rows, &Plan::rounds(3)).unwrap();
        for row in run.rows() {
            let (wholes, stages): (Vec<_>, Vec<_>) = row
                .series()
                .iter()
                .partition(|series| series.contender() == WHOLE);
            assert_eq!(wholes.len(), 1);
            assert!(stages.len() > 4, "{stages:?}");
            let decodes = stages
                .iter()
                .any(|stage| stage.contender().contains("decode"));
            assert_eq!(decodes, !row.name().starts_with("prove"), "{stages:?}");
            assert!(stages.iter().all(|stage| stage.min() >= 0.0));
        }
    }
}
