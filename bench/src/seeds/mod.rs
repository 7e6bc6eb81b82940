//! The experiments of the studies that this project began with: the studies' column names and
//! published figures, beside the times measured here.
//!
//! All columns are contenders of one row, so that compared times were measured together. A
//! *side* is an implementation; its contenders are called `side: column`.

mod report;
mod studies;

use klero::{Backend, Method, Verifier, Weights};
use klero_measure::Row;
use klero_measure::ours::{self, Claims, SIZES};
use klero_peer::Peer;

pub use self::report::{sections, write};
use self::studies::*;
use crate::contender::{Work, as_bytes};
use crate::libsodium;
use crate::steps::{add_combined, add_each};
use crate::suites::{Peers, Suites, name};

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

/// Claims of a line of the crate's table, unless its batches have more.
const CRITERION_CLAIMS: usize = 64;

/// The lines of the crate's table: one proof at a time, and batches of each size.
fn criterion_row<'p>(sides: &Sides<'p>, peers: &'p Peers, suites: &'p Suites) -> Row<'p> {
    let mut row = Row::new(CRITERION_NAME, "the crate's table", CRITERION_CLAIMS);
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
        (generation, short, Work::Prove(CRITERION_CLAIMS)),
        (verification, short, Work::Verify(CRITERION_CLAIMS)),
        (compat_generation, long, Work::Prove(CRITERION_CLAIMS)),
        (single, long, Work::Verify(CRITERION_CLAIMS)),
    ] {
        for peer in &published {
            let as_name = format!("{}: {}", name(*peer), column.0);
            peers.join_as(&mut row, as_name, *peer, claims, work);
        }
        let who = format!("{}: {}", sides.klero(), column.0);
        match work {
            Work::Prove(_) => row.add(who, ours::prove(claims, sides.backend, CRITERION_CLAIMS, 1)),
            _ => {
                let verifier = ours::verifier(claims, sides.backend);
                row.add(who, ours::verify(claims, verifier, CRITERION_CLAIMS, 1));
            }
        }
    }
    for (size, _) in CRITERION {
        add_batches(&mut row, sides, peers, long, size);
    }
    row
}

/// Batches of one size, with both kinds of weights, and their sum alone.
fn add_batches<'p>(
    row: &mut Row<'p>,
    sides: &Sides<'p>,
    peers: &'p Peers,
    claims: &'p Claims,
    size: usize,
) {
    let total = size.max(CRITERION_CLAIMS);
    let work = Work::Batch(total, size);
    for (of, peer) in [
        (DETERMINISTIC, peers.named("vrf_dalek-deterministic")),
        (RANDOM, peers.named("vrf_dalek-random")),
        (DETERMINISTIC, sides.composed),
    ] {
        if let Some(peer) = peer {
            let as_name = format!("{}: {COMPAT}/{of}/{size}", name(peer));
            peers.join_as(row, as_name, peer, claims, work);
        }
    }
    for (of, weights) in [
        (DETERMINISTIC, Weights::Hashed),
        (RANDOM, Weights::Random([7; 32])),
    ] {
        let who = format!("{}: {COMPAT}/{of}/{size}", sides.klero());
        let verifier = ours::verifier(claims, sides.backend).weights(weights);
        let work = ours::verify(claims, verifier, total, size);
        row.add_of(who, total, work);
    }
    let column = format!("{COMPAT}/{MULTISCALAR}/{size}");
    let what = format!("steps {size}");
    // The peer prepares all claims.
    experiment(row, sides, &column, &what, claims);
    let who = format!("{}: {column}", sides.klero());
    add_combined(row, who, claims, sides.backend, total, size);
}
