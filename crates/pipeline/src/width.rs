//! How much is under way.

/// Items between reader and writer for each thread: one to work on, and one that waits, so
/// that no thread is idle while the reader reads or the writer writes.
const ITEMS_PER_THREAD: usize = 2;

/// The most items under way, on any number of threads. Each item takes memory, so their number
/// needs a bound; this one is enough to keep 256 cores busy.
const MOST_ITEMS: usize = 256;

/// The most items that a [`Queue`](crate::Queue) has under way in the current rayon pool: two per
/// thread, and at most 256. The memory they take is this times that of an item.
///
/// ```
/// assert!((1..=256).contains(&klero_pipeline::width()));
/// ```
pub fn width() -> usize {
    width_of(rayon::current_num_threads())
}

/// [`width`] in a pool of this many threads.
pub(crate) fn width_of(threads: usize) -> usize {
    threads.saturating_mul(ITEMS_PER_THREAD).min(MOST_ITEMS)
}
