//! The work that every implementation of ECVRF is measured at: one proof alone, many together,
//! and the sizes between.

use std::ops::Range;

use klero::{Backend, Prover, Suite, Verifier};

use super::claims::Claims;
use crate::figure::{Figure, Lines};
use crate::measured::Run;
use crate::run::Row;
use crate::section::{Section, Table};

/// The number of calls in a sample where single calls are measured: the time to read the clock
/// must be short against the sample.
pub const ALONE: usize = 32;

/// The number of proofs that are verified or made together.
pub const TOGETHER: usize = 1024;

/// The batch sizes of the experiment "sizes".
pub const SIZES: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// The number of keys where keys come back.
pub const KEYS: usize = 40;

/// The smallest number of proofs in a sample.
const LEAST: usize = 64;

/// The name of a backend of Klero as a contender.
pub fn name_of(backend: Backend) -> String {
    format!("klero-{}", backend.name())
}

impl<'a> Row<'a> {
    /// The row with these backends as contenders.
    #[must_use]
    pub fn with_backends<W: FnMut() -> bool + 'a>(
        mut self,
        backends: &[Backend],
        work: impl Fn(Backend) -> W,
    ) -> Self {
        for &backend in backends {
            self.add(name_of(backend), work(backend));
        }
        self
    }
}

/// A verifier of these claims.
pub fn verifier(claims: &Claims, backend: Backend) -> Verifier {
    Verifier::new(claims.suite).backend(backend)
}

/// True if work is right on the first `total` claims, `batch` in each call.
fn in_batches(total: usize, batch: usize, work: impl Fn(Range<usize>) -> bool) -> bool {
    let mut firsts = (0..total).step_by(batch.max(1));
    firsts.all(|first| work(first..total.min(first + batch)))
}

/// The work of a contender: verifies the first `total` claims, `batch` in each call. It is
/// right if every claim is valid and its output is the expected one.
pub fn verify(
    claims: &Claims,
    verifier: Verifier,
    total: usize,
    batch: usize,
) -> impl FnMut() -> bool {
    let work = move |places: Range<usize>| {
        let batch: Vec<_> = places.clone().map(|i| claims.claim(i)).collect();
        let verdicts = verifier.verify_many(&batch).verdicts;
        let mut verdicts = verdicts.into_iter().zip(&claims.outputs[places]);
        verdicts.all(|(verdict, output)| verdict.is_ok_and(|proven| proven.0 == *output))
    };
    move || in_batches(total, batch, &work)
}

/// The work of a contender: makes the proofs of the first `total` claims, `batch` in each call.
/// It is right if proofs and outputs are those of the claims.
pub fn prove(
    claims: &Claims,
    backend: Backend,
    total: usize,
    batch: usize,
) -> impl FnMut() -> bool {
    let prover = Prover::new().backend(backend);
    let work = move |places: Range<usize>| {
        let made = prover.prove_many(&claims.requests(places.clone()));
        let made = made
            .iter()
            .map(|(proof, output)| (proof.as_bytes(), &output.0));
        made.eq(places.map(|i| (claims.proof(i), &claims.outputs[i])))
    };
    move || in_batches(total, batch, &work)
}

/// The work of a contender: evaluates the first `total` claims, `batch` in each call. It is
/// right if the outputs are those of the claims.
fn evaluate(claims: &Claims, backend: Backend, total: usize, batch: usize) -> impl FnMut() -> bool {
    let prover = Prover::new().backend(backend);
    let work = move |places: Range<usize>| {
        let made = prover.evaluate_many(&claims.requests(places.clone()));
        let made = made.iter().map(|output| &output.0);
        made.eq(&claims.outputs[places])
    };
    move || in_batches(total, batch, &work)
}

/// Rows of the experiments "alone" and "together": verifying and proving one alone, proving many
/// together, and evaluating one alone and many together.
pub fn alone_rows<'c>(claims: &'c Claims, backends: &[Backend]) -> [Row<'c>; 5] {
    let name = claims.suite.name();
    let (n, many) = (ALONE.min(claims.len()), TOGETHER.min(claims.len()));
    let alone = |what: &str| Row::new("alone", format!("{what} one alone, {name}"), n);
    let together = |what: &str| Row::new("together", format!("{what} {many}, {name}"), many);
    [
        alone("verify").with_backends(backends, |backend| {
            verify(claims, verifier(claims, backend), n, 1)
        }),
        alone("prove").with_backends(backends, |backend| prove(claims, backend, n, 1)),
        together("prove").with_backends(backends, |backend| prove(claims, backend, many, many)),
        alone("evaluate").with_backends(backends, |backend| evaluate(claims, backend, n, 1)),
        together("evaluate")
            .with_backends(backends, |backend| evaluate(claims, backend, many, many)),
    ]
}

/// A row of the experiment "together": verifying many claims of [`KEYS`] keys, with and without
/// keeping these between calls.
pub fn kept_keys_row<'c>(claims: &'c Claims, backends: &[Backend]) -> Row<'c> {
    let (n, suite) = (claims.len(), claims.suite.name());
    let mut row = Row::new("together", format!("verify {n} of {KEYS} keys, {suite}"), n);
    for &backend in backends {
        let fresh = verifier(claims, backend);
        let keeping = fresh.clone().keep_keys(KEYS);
        row.add(name_of(backend), verify(claims, fresh, n, n));
        let name = format!("{}, keys kept", name_of(backend));
        row.add(name, verify(claims, keeping, n, n));
    }
    row
}

/// Bars and tables of the experiments "alone", "together" and "wrong".
pub fn alone_section(run: &Run, baselines: &[&str]) -> Section {
    let experiments = ["alone", "together", "wrong"];
    Section::of_rows(
        "One alone, and many proofs together",
        "From bytes to bytes on one thread: µs of CPU time for each proof, or for each output \
         that is evaluated without a proof.",
        experiments.into_iter().flat_map(|name| run.of(name)),
        baselines,
    )
}

/// Rows of the experiment `sizes <suite>`: verification in batches of 1, 2, 4 … up to the
/// number of the claims.
pub fn size_rows<'c>(claims: &'c Claims, backends: &[Backend]) -> Vec<Row<'c>> {
    let experiment = format!("sizes {}", claims.suite.name());
    let sizes = SIZES.into_iter().filter(|size| *size <= claims.len());
    sizes
        .map(|size| {
            let total = size.max(LEAST).min(claims.len());
            let mut row = Row::new(experiment.clone(), size.to_string(), total);
            row.at = size as f64;
            row.with_backends(backends, |backend| {
                verify(claims, verifier(claims, backend), total, size)
            })
        })
        .collect()
}

/// The curves and tables of the cost of verification against the batch size.
pub fn size_section(run: &Run, suites: &[Suite]) -> Section {
    let mut section = Section::new(
        "Cost of a proof against the size of the batch",
        "All claims of a batch are verified in one call. Proofs of 80 bytes gain from vector \
         lanes. Proofs of 128 bytes also contain the points that a single sum over the whole \
         batch needs.",
    );
    for suite in suites {
        let experiment = format!("sizes {}", suite.name());
        if run.of(&experiment).next().is_none() {
            continue;
        }
        let (len, name) = (suite.proof_len(), suite.name());
        let title = format!("Verification, {len} bytes, {name}");
        let lines = Lines::of(run, &experiment, &title, "proofs in a batch");
        section.figures.push(Figure::Lines(lines));
        let title = format!("{title}: µs for each proof, medians");
        let table = Table::of_rows(title, "batch", run.of(&experiment));
        section.tables.push(table);
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Plan, run};

    #[test]
    fn the_work_is_done_and_wrong_work_is_seen() {
        let suite = Suite::RFC9381_ELL2_BC;
        let mut claims = Claims::new(suite, 8);
        let backend = Backend::default();
        for batch in [1, 3, 8] {
            assert!(verify(&claims, verifier(&claims, backend), 8, batch)());
            assert!(prove(&claims, backend, 8, batch)());
            assert!(evaluate(&claims, backend, 8, batch)());
        }
        claims.flip_a_bit();
        for batch in [1, 3, 8] {
            assert!(!verify(&claims, verifier(&claims, backend), 8, batch)());
            assert!(!prove(&claims, backend, 8, batch)());
        }
        claims.outputs[7][0] ^= 1;
        for batch in [1, 3, 8] {
            assert!(!evaluate(&claims, backend, 8, batch)());
        }
    }

    #[test]
    fn keys_come_back_and_proofs_do_not() {
        let claims = Claims::of_keys(Suite::PRAOS, 5, 2);
        assert_eq!(claims.keys[0], claims.keys[4]);
        assert_ne!(claims.proof(0), claims.proof(4));
        let backend = Backend::all().pop().unwrap();
        assert_eq!(name_of(backend), "klero-portable");
    }

    #[test]
    fn every_size_has_a_point_on_the_curve() {
        let claims = Claims::new(Suite::RFC9381_ELL2_BC, 4);
        let few_keys = Claims::of_keys(Suite::PRAOS, 9, 2);
        let backends = [Backend::default()];
        let mut rows = size_rows(&claims, &backends);
        rows.extend(alone_rows(&claims, &backends));
        rows.push(kept_keys_row(&few_keys, &backends));
        let run = run(rows, &Plan::rounds(3)).unwrap();
        let sizes = size_section(&run, &[claims.suite]);
        let Figure::Lines(lines) = &sizes.figures[0] else {
            panic!()
        };
        let sizes: Vec<_> = lines.curves[0].points.iter().map(|point| point.0).collect();
        assert_eq!(sizes, [1.0, 2.0, 4.0]);
        assert_eq!(alone_section(&run, &[]).figures.len(), 6);
    }
}
