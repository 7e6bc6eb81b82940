//! Many items on several threads, which the call starts and ends: there is no pool, so nothing
//! outlives a call, and a child of `fork` has all that it needs.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs `work` on shares of `count` items, on the calling thread and `threads - 1` others; 0
/// stands for a thread on each processor.
pub(crate) fn in_shares(count: usize, threads: usize, work: impl Fn(Range<usize>) + Sync) {
    let threads = match threads {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        _ => threads,
    };
    // From what fills the vectors well to the largest sum that the library makes. Memory
    // depends on it; no verdict does.
    let size = count.div_ceil(threads).clamp(64, 2048);
    let next = AtomicUsize::new(0);
    let run = || {
        loop {
            let start = next.fetch_add(size, Ordering::Relaxed);
            if start >= count {
                return;
            }
            work(start..count.min(start + size));
        }
    };
    let others = threads.min(count.div_ceil(size)).saturating_sub(1);
    // A scope allocates for its threads, which a checker of leaks reports even where there are none.
    if others == 0 {
        return run();
    }
    thread::scope(|scope| {
        for _ in 0..others {
            // A thread that does not start leaves its shares to the others.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
}
