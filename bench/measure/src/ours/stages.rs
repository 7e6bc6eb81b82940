//! Where the time goes: the stages that the library's verifier and prover report, beside the
//! same work without reports.

use std::ops::Range;

use klero::experimental::PRAOS_BLAKE2B;
use klero::{Backend, Method, Prover, SecretKey, Stage, Suite};

use super::claims::Claims;
use super::rows::{name_of, prove, verifier, verify};
use crate::figure::{Bars, Figure};
use crate::measured::{Measured, Run, Spread};
use crate::run::Row;
use crate::section::{Cell, Section, Table};

/// The contender that does the same work in one call, without reports.
const WHOLE: &str = "whole";

/// The work of a contender: verifies the claims in `range` in one call, which reports the
/// stages. It is right if all claims are valid.
pub fn verify_stages(
    claims: &Claims,
    backend: Backend,
    method: Method,
    range: Range<usize>,
) -> impl FnMut(&mut dyn FnMut(Stage)) -> bool {
    let verifier = verifier(claims, backend).method(method);
    move |watch| {
        let claims: Vec<_> = range.clone().map(|i| claims.claim(i)).collect();
        let report = verifier.verify_watched(&claims, watch);
        report.verdicts.iter().all(Result::is_ok)
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
    row.add_parts(names, row.items, move |ended| {
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
pub fn stage_rows<'c>(short: &'c Claims, long: &'c Claims, backend: Backend) -> [Row<'c>; 3] {
    let row = |what: String, claims: &Claims| {
        let experiment = format!("stages {}", backend.name());
        let name = format!("{what}, {}", claims.suite);
        Row::new(experiment, name, claims.len())
    };
    let verified = |what: String, claims: &'c Claims| {
        let (mut row, n) = (row(what, claims), claims.len());
        let stages = verify_stages(claims, backend, Method::Auto, 0..n);
        add_stages(&mut row, Stage::to_string, stages);
        row.add(WHOLE, verify(claims, verifier(claims, backend), n, n));
        row
    };
    let n = short.len();
    let mut proven = row(format!("prove {n}, 80 bytes"), short);
    let prover = Prover::new().backend(backend);
    add_stages(&mut proven, name_in_proving, move |watch| {
        prover.prove_watched(&short.requests(0..n), watch).len() == n
    });
    proven.add(WHOLE, prove(short, backend, n, n));
    [
        verified(format!("verify {n}, 80 bytes"), short),
        verified(format!("batch of {}, 128 bytes", long.len()), long),
        proven,
    ]
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
            let title = format!("{}, {}", row.name, name_of(backend));
            let mut table = Table::new(&title, ["", "min", "median", "p90", "part"]);
            let mut bars = Vec::new();
            let mut rest = whole.median();
            for series in &row.series {
                let mut line = Cell::of_series(series);
                line.push(Cell::part(row.ratio(&series.contender, WHOLE)));
                table.lines.push(line);
                if series.contender != WHOLE {
                    bars.push((series.contender.clone(), series.spread()));
                    rest -= series.median();
                }
            }
            section.tables.push(table);
            // Charts for the first backend, which is the fastest; tables for all.
            if i == 0 {
                if rest > 0.0 {
                    bars.push(("the rest".to_owned(), Spread::once(rest)));
                }
                bars.push((WHOLE.to_owned(), whole.spread()));
                section.figures.push(Figure::Bars(Bars { title, bars }));
            }
        }
    }
    section
}

/// Rows of the experiment "hash to curve": from key and alpha to the point H, by the method of
/// each kind of suite. The times are those of two stages of proving.
pub fn hash_to_curve_rows(n: usize, backends: &[Backend]) -> Vec<Row<'static>> {
    let ways = [
        ("Elligator2, draft-03, SHA-512", Suite::PRAOS),
        ("Elligator2, draft-03, BLAKE2b", PRAOS_BLAKE2B),
        ("Elligator2, RFC 9380, SHA-512", Suite::RFC9381_ELL2),
        ("try and increment, SHA-512", Suite::RFC9381_TAI),
    ];
    ways.into_iter()
        .map(|(name, suite)| {
            let mut row = Row::new("hash to curve", name, n);
            for &backend in backends {
                let key = SecretKey::from_seed(suite, &[7; 32]);
                let alphas: Vec<_> = (0..n as u64).map(u64::to_le_bytes).collect();
                row.add_parts(vec![name_of(backend)], n, move |ended| {
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
    section.tables.push(table);
    let first = run.of("hash to curve").find_map(|row| row.series.first());
    if let Some(first) = first {
        let bar = |row: &Measured| {
            let series = row.get(&first.contender)?;
            Some((row.name.clone(), series.spread()))
        };
        section.figures.push(Figure::Bars(Bars {
            title: format!("Hash to curve, {}: µs each", first.contender),
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
    fn a_stage_is_reported_once_for_a_call() {
        let claims = Claims::new(Suite::PRAOS, 8);
        let mut work = verify_stages(&claims, Backend::default(), Method::Auto, 0..8);
        let mut count = 0;
        assert!(work(&mut |stage| count += usize::from(stage == Stage::U)));
        assert_eq!(count, 1);
    }

    #[test]
    fn stages_make_the_whole() {
        let claims = Claims::new(klero::Suite::PRAOS, 64);
        let rows = stage_rows(&claims, &claims, Backend::default());
        let run = run(rows.into(), &Plan::rounds(3)).unwrap();
        for row in &run.rows {
            let series = row.series.iter();
            let (wholes, stages): (Vec<_>, Vec<_>) =
                series.partition(|series| series.contender == WHOLE);
            assert_eq!(wholes.len(), 1);
            assert!(stages.len() > 4, "{stages:?}");
            let decodes = stages
                .iter()
                .any(|stage| stage.contender.contains("decode"));
            assert_eq!(decodes, !row.name.starts_with("prove"), "{stages:?}");
            assert!(stages.iter().all(|stage| stage.min() >= 0.0));
        }
    }
}
