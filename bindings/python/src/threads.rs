//! Threads for one call.
//!
//! Every call starts the threads that it shares its work with, and ends them. Threads that outlive a
//! call would be missing in a forked child, where a call would wait for them forever.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::arguments::whole_number;

/// Items that a thread takes at a time, at least: they fill the vectors well, and take longer than
/// another thread takes to start.
const LEAST_SHARE: usize = 64;

/// And at most: the largest sum that the library makes.
const MOST_SHARE: usize = 2048;

/// How often a call looks for signals. To do so it waits for the GIL, which another thread of
/// Python may hold for 5 ms.
const PATIENCE: Duration = Duration::from_millis(50);

/// The argument `threads`: `None` for one per processor that the process may use.
pub type Threads = Option<Number>;

/// A number of threads.
#[derive(Clone, Copy)]
pub struct Number(NonZero<u16>);

impl FromPyObject<'_, '_> for Number {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        whole_number("threads", "1 to 65535", object).map(Self)
    }
}

fn number(threads: Threads) -> usize {
    match threads {
        Some(Number(threads)) => threads.get().into(),
        None => available_parallelism().map_or(1, NonZero::get),
    }
}

/// A pool with this number of threads, for a table or an audit.
pub fn pool(threads: Threads) -> PyResult<ThreadPool> {
    let threads = number(threads);
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("klero-{index}"))
        .build()
        .map_err(|error| {
            PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}"))
        })
}

/// What `work` makes of all items, share by share, in their order: without the GIL, on this thread
/// and others. A signal whose handler raises, such as that of Ctrl-C, ends it within a share.
pub fn in_shares<I: Sync, O: Send>(
    py: Python<'_>,
    threads: Threads,
    items: &[I],
    work: impl Fn(&[I]) -> Vec<O> + Sync,
) -> PyResult<Vec<O>> {
    // To ask for the number of processors takes as long as verifying a claim.
    let threads = if items.len() > LEAST_SHARE {
        number(threads)
    } else {
        1
    };
    let shares: Vec<_> = items.chunks(share(items.len(), threads)).collect();
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let done = Mutex::new(Vec::with_capacity(shares.len()));
    // Works on one share. Whether there may be another.
    let one = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(share) = shares.get(index) else {
            return false;
        };
        let results = work(share);
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push((index, results));
        !stop.load(Ordering::Relaxed)
    };
    let here = || until_interrupted(one, &stop);
    py.detach(|| {
        let others = threads.min(shares.len()).saturating_sub(1);
        if others == 0 {
            return here();
        }
        thread::scope(|scope| {
            for index in 1..=others {
                let thread = thread::Builder::new().name(format!("klero-{index}"));
                // A thread that does not start leaves its shares to the others.
                if thread.spawn_scoped(scope, || while one() {}).is_err() {
                    break;
                }
            }
            here()
        })
    })?;
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    let mut results = Vec::with_capacity(items.len());
    results.extend(done.into_iter().flat_map(|(_, results)| results));
    Ok(results)
}

/// Works as long as there is another share, and looks for signals meanwhile. One that ends the call
/// sets `stop`.
fn until_interrupted(one: impl Fn() -> bool, stop: &AtomicBool) -> PyResult<()> {
    let mut looked = Instant::now();
    while one() {
        if looked.elapsed() >= PATIENCE {
            let signals = Python::try_attach(|py| py.check_signals());
            if let Some(Err(interrupt)) = signals {
                stop.store(true, Ordering::Relaxed);
                return Err(interrupt);
            }
            looked = Instant::now();
        }
    }
    Ok(())
}

/// The size of shares that keep all threads busy to the end.
fn share(items: usize, threads: usize) -> usize {
    let each = items.div_ceil(threads);
    let rounds = each.div_ceil(MOST_SHARE).max(1);
    each.div_ceil(rounds).max(LEAST_SHARE)
}
