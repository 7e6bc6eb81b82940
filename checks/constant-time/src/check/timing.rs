//! Whether the time distinguishes one secret from others: Welch's t over interleaved
//! measurements.

use std::hint::black_box;
use std::time::Instant;

use anyhow::ensure;
use klero::{Backend, Prover, SecretKey, Suite};

use super::path::Seed;
use super::subject::{self, BRANCH};

/// The number of measurements for one value of t.
const ROUNDS: usize = 20_000;

/// The number of values of t for one verdict. Only if all are above the bound is it a leak,
/// since other programs disturb single values.
const REPEATS: usize = 3;

/// The number of the first seed, which leaves out the edge cases.
const FIRST: u64 = 100;

/// dudect calls |t| > 4.5 a possible leak and > 10 a certain one.
const BOUND: f64 = 10.0;

pub fn check() -> anyhow::Result<()> {
    let mut leaks = Vec::new();
    // The other leak takes no time: all addresses are in the cache.
    let (leak, function) = BRANCH;
    let t = smallest_t(|seed| *seed, |seed| (0..50).for_each(|_| function(seed)));
    println!("{leak}: |t| = {t:.1}");
    ensure!(t > BOUND, "the time does not show {leak}");
    for backend in Backend::all() {
        for n in [1, 17] {
            let key = |seed: &Seed| SecretKey::from_seed(Suite::PRAOS, seed);
            let t = smallest_t(key, |key| {
                let requests = vec![(key, &b"alpha"[..]); n];
                black_box(Prover::new().backend(backend).prove_many(&requests));
            });
            println!("{}: {n} proofs: |t| = {t:.1}", backend.name());
            if t > BOUND {
                leaks.push(format!("{} with {n}", backend.name()));
            }
        }
    }
    ensure!(
        leaks.is_empty(),
        "the time depends on the secret: {leaks:?}"
    );
    Ok(())
}

/// The smallest of several |t|.
fn smallest_t<K>(key: impl Fn(&Seed) -> K, work: impl Fn(&K)) -> f64 {
    (0..REPEATS)
        .map(|_| t(&key, &work))
        .fold(f64::INFINITY, f64::min)
}

/// |t| of the times with one secret against the times with others. It is the largest over all
/// times and their fastest tenths, since interrupts hide small differences.
fn t<K>(key: &impl Fn(&Seed) -> K, work: &impl Fn(&K)) -> f64 {
    let mut times: Vec<(f64, bool)> = (0..ROUNDS as u64)
        .map(|round| {
            // The processor must not be able to predict the class.
            let drawn = subject::seed(round + FIRST);
            let fixed = drawn[0] & 1 == 0;
            let key = key(&if fixed { [0xff; 32] } else { drawn });
            let start = Instant::now();
            work(black_box(&key));
            (start.elapsed().as_secs_f64(), fixed)
        })
        .collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    (1..=10)
        .map(|tenths| welch(&times[..ROUNDS * tenths / 10]).abs())
        .fold(0.0, f64::max)
}

/// Welch's t of the two classes.
fn welch(times: &[(f64, bool)]) -> f64 {
    let moments = |class: bool| {
        let times = times.iter().filter(|(_, of)| *of == class);
        let times: Vec<f64> = times.map(|(time, _)| *time).collect();
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let squares = times.iter().map(|time| (time - mean).powi(2));
        let variance = squares.sum::<f64>() / (count - 1.0);
        (mean, variance / count)
    };
    let ((mean_a, error_a), (mean_b, error_b)) = (moments(true), moments(false));
    (mean_a - mean_b) / (error_a + error_b).sqrt()
}
