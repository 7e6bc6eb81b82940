//! Threads for one call.
//!
//! Every call that shares its work has a pool of its own, and ends it. A pool of the whole process
//! would have no threads in a forked child, where a call would wait for them forever.

use std::num::NonZero;
use std::thread::available_parallelism;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number of items up to which the calling thread does all the work: `klero` divides no
/// group into smaller ones.
const FEW: usize = 16;

/// The argument `threads`: `None` for one per processor that the process may use.
pub type Threads = Option<NonZero<u16>>;

/// A pool with this number of threads.
pub fn pool(threads: Threads) -> PyResult<ThreadPool> {
    let threads = threads.map_or_else(all, |threads| usize::from(threads.get()));
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("klero-{index}"))
        .build()
        .map_err(|error| {
            PyRuntimeError::new_err(format!("cannot start {threads} threads: {error}"))
        })
}

/// Runs `work` on this many items without the GIL: on a pool, or on this thread if they are few.
pub fn share<T: Send>(
    py: Python<'_>,
    threads: Threads,
    items: usize,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    if items <= FEW {
        return Ok(py.detach(work));
    }
    let pool = pool(threads)?;
    Ok(py.detach(|| pool.install(work)))
}

fn all() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}
