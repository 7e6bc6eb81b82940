//! The experiments of the studies that this project began with: the studies' column names and
//! published figures, beside the times measured here.
//!
//! All columns are contenders of one row, so that compared times were measured together. A
//! *side* is an implementation; its contenders are called `side: column`.

mod report;
mod tables;
pub mod tokens;

use klero::{Backend, Method, Stage, Weights};
use klero_measure::Row;
use klero_measure::ours::{self, Claims, SIZES, verify_stages};
use klero_peer::Peer;

pub use self::report::{sections, write};
use self::tables::*;
use crate::contender::{Work, as_bytes};
use crate::libsodium;
use crate::suites::{Peers, Suites, name};

/// The sides: the fastest measured backend of Klero, and the composed peer.
pub struct Sides<'p> {
    backend: Backend,
    peers: &'p Peers,
    /// The composed peer with its best backend, if it was built.
    composed: Option<&'p dyn Peer>,
}

impl<'p> Sides<'p> {
    /// The first of these backends, and the first composed peer.
    pub fn of(backends: &[Backend], peers: &'p Peers) -> Self {
        Self {
            backend: backends[0],
            peers,
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

    /// Klero's contender of a column.
    fn ours(&self, column: &str) -> String {
        format!("{}: {column}", self.klero())
    }

    /// Klero's work of verifying the first n claims in one call, without sums.
    fn without_sums<'c>(&self, claims: &'c Claims, n: usize) -> impl FnMut() -> bool + 'c {
        let verifier = ours::verifier(claims, self.backend);
        ours::verify(claims, verifier.method(Method::OneByOne), n, n)
    }

    /// Adds Klero's contender of a column, timed in some of the stages that it reports while it
    /// verifies the first n claims, `size` in each call.
    fn add_stages<'c>(
        &self,
        row: &mut Row<'c>,
        column: &str,
        (method, stages): (Method, &'static [Stage]),
        claims: &'c Claims,
        (n, size): (usize, usize),
    ) {
        let batch = |first| verify_stages(claims, self.backend, method, first..n.min(first + size));
        let mut batches: Vec<_> = (0..n).step_by(size).map(batch).collect();
        row.add_parts(vec![self.ours(column)], n, move |ended| {
            let mut watch = |stage| ended(stages.contains(&stage).then_some(0));
            batches.iter_mut().all(|work| work(&mut watch))
        });
    }

    /// Adds an experiment of the composed peer.
    fn experiment(&self, row: &mut Row<'_>, column: &str, what: &str, claims: &Claims) {
        let Some(peer) = self.composed else { return };
        let work = peer.experiment(what, claims.suite.name(), &as_bytes(claims));
        if let Some(work) = work {
            row.add_of(format!("{}: {column}", name(peer)), claims.len(), work);
        }
    }

    /// Adds work of a peer in a column, if it supports that.
    fn join(
        &self,
        row: &mut Row<'p>,
        peer: Option<&'p dyn Peer>,
        column: &str,
        claims: &'p Claims,
        work: Work,
    ) {
        if let Some(peer) = peer {
            let as_name = format!("{}: {column}", name(peer));
            self.peers.join_as(row, as_name, peer, claims, work);
        }
    }
}

/// The stages of steps 4 and 5 of verification alone, U = s·B - c·Y and V = s·H - c·Γ, of each claim.
const EACH: (Method, &[Stage]) = (Method::OneByOne, &[Stage::U, Stage::V, Stage::KeyTorsion]);

/// The stages that check these equations by a random combination, with the torsion test that makes
/// its verdicts the same as for single claims.
const COMBINED: (Method, &[Stage]) = (
    Method::Sum,
    &[
        Stage::SmallMultiples,
        Stage::Weights,
        Stage::TorsionSum,
        Stage::Sum,
    ],
);

/// Every row of every study.
pub fn rows<'p>(sides: &Sides<'p>, suites: &'p Suites) -> Vec<Row<'p>> {
    vec![
        praos_row(sides, suites),
        batch_row(&BATCH, 856, sides, suites),
        batch_row(&BATCH_200, 200, sides, suites),
        steps_row(sides, suites),
        criterion_row(sides, suites),
    ]
}

fn praos_row<'p>(sides: &Sides<'p>, suites: &'p Suites) -> Row<'p> {
    const N: usize = 64;
    let mut row = Row::new(PRAOS.name, "single verification and its parts", N);
    let praos = suites.of("praos");
    sides.experiment(&mut row, "verif", "verif", praos);
    for (column, suite) in [
        ("verif_opt", "praos"),
        ("verif_opt_blake", "praos-blake2b"),
        ("verif_try_inc", "praos-tai"),
        ("batch_compatible", "praos-128"),
    ] {
        let claims = suites.of(suite);
        sides.join(&mut row, sides.composed, column, claims, Work::Verify(N));
        let verifier = ours::verifier(claims, sides.backend);
        row.add(sides.ours(column), ours::verify(claims, verifier, N, 1));
        let who = format!("{}: {column}", sides.many());
        row.add(who, sides.without_sums(claims, N));
    }
    if let Some(work) = libsodium::api_mul(praos, N) {
        row.add("libsodium: api_mul", work);
    }
    sides.experiment(&mut row, "internal_mul", "internal_mul", praos);
    sides.experiment(&mut row, "single_multi", "single_multi", praos);
    let claims = suites.of("praos-128");
    sides.add_stages(&mut row, "single_multi", COMBINED, claims, (N, 1));
    row
}

fn batch_row<'p>(study: &Study, n: usize, sides: &Sides<'p>, suites: &'p Suites) -> Row<'p> {
    let mut row = Row::new(study.name, format!("batch of {n}"), n);
    let (short, long) = (suites.of("draft13"), suites.of("draft13-bc"));
    for (column, claims, work) in [
        ("normal_verif", short, Work::Verify(n)),
        ("batch_compat_verif", long, Work::Verify(n)),
        ("batch_verif", long, Work::Batch(n, n)),
    ] {
        sides.join(&mut row, sides.composed, column, claims, work);
        if column == "batch_compat_verif" {
            row.add(sides.ours(column), sides.without_sums(claims, n));
        } else {
            let verifier = ours::verifier(claims, sides.backend);
            row.add(sides.ours(column), ours::verify(claims, verifier, n, n));
        }
    }
    row
}

fn steps_row<'p>(sides: &Sides<'p>, suites: &'p Suites) -> Row<'p> {
    let mut row = Row::new(STEPS_4_5.name, "steps 4 and 5", STEPS);
    let claims = suites.of("rfc9381-ell2-bc");
    sides.experiment(&mut row, "No batch", "steps", claims);
    sides.add_stages(&mut row, "No batch", EACH, claims, (STEPS, STEPS));
    for size in SIZES {
        let column = format!("Batch size {size}");
        sides.experiment(&mut row, &column, &format!("steps {size}"), claims);
        sides.add_stages(&mut row, &column, COMBINED, claims, (STEPS, size));
    }
    row
}

/// Claims of a line of the crate's table, unless its batches have more.
const CRITERION_CLAIMS: usize = 64;

/// The lines of the crate's table: one proof at a time, and batches of each size.
fn criterion_row<'p>(sides: &Sides<'p>, suites: &'p Suites) -> Row<'p> {
    const N: usize = CRITERION_CLAIMS;
    let mut row = Row::new(CRITERION_NAME, "the crate's table", N);
    let (short, long) = (suites.of("draft10-tai"), suites.of("draft10-tai-bc"));
    let columns = criterion_lines();
    let works = [
        (short, Work::Prove(N)),
        (short, Work::Verify(N)),
        (long, Work::Prove(N)),
        (long, Work::Verify(N)),
    ];
    let peers = ["vrf_dalek-deterministic", "vrf_dalek-random"].map(|name| sides.peers.named(name));
    for ((column, _), (claims, work)) in columns.iter().zip(works) {
        for peer in peers.into_iter().chain([sides.composed]) {
            sides.join(&mut row, peer, column, claims, work);
        }
        match work {
            Work::Prove(_) => row.add(sides.ours(column), ours::prove(claims, sides.backend, N, 1)),
            _ => {
                let verifier = ours::verifier(claims, sides.backend);
                row.add(sides.ours(column), ours::verify(claims, verifier, N, 1));
            }
        }
    }
    for (size, _) in CRITERION {
        add_batches(&mut row, sides, long, size);
    }
    row
}

/// Batches of one size, with both kinds of weights, and their sum alone.
fn add_batches<'p>(row: &mut Row<'p>, sides: &Sides<'p>, claims: &'p Claims, size: usize) {
    let total = size.max(CRITERION_CLAIMS);
    let work = Work::Batch(total, size);
    let column = |of: &str| format!("{COMPAT}/{of}/{size}");
    let peers = sides.peers;
    for (of, peer) in [
        (DETERMINISTIC, peers.named("vrf_dalek-deterministic")),
        (RANDOM, peers.named("vrf_dalek-random")),
        (DETERMINISTIC, sides.composed),
    ] {
        sides.join(row, peer, &column(of), claims, work);
    }
    for (of, weights) in [
        (DETERMINISTIC, Weights::Hashed),
        (RANDOM, Weights::Random([7; 32])),
    ] {
        let verifier = ours::verifier(claims, sides.backend).weights(weights);
        let work = ours::verify(claims, verifier, total, size);
        row.add_of(sides.ours(&column(of)), total, work);
    }
    let column = column(MULTISCALAR);
    // The peer prepares all claims.
    sides.experiment(row, &column, &format!("steps {size}"), claims);
    sides.add_stages(row, &column, COMBINED, claims, (total, size));
}
