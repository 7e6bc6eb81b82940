//! Work cut into groups, for one thread or, with the feature `rayon`, for all of its
//! current pool. The results are in order, and none depends on how many threads there
//! are.

use alloc::vec::Vec;

/// The result of `work` on each group of at most `size` items.
#[cfg(not(feature = "rayon"))]
pub(crate) fn in_groups<I, O>(items: &[I], size: usize, work: impl Fn(&[I]) -> O) -> Vec<O> {
    items.chunks(size).map(work).collect()
}

/// The result of `work` on each group of at most `size` items; smaller ones where
/// threads would stay idle, but not so small that work done once for a group would
/// weigh.
#[cfg(feature = "rayon")]
pub(crate) fn in_groups<I: Sync, O: Send>(
    items: &[I],
    size: usize,
    work: impl Fn(&[I]) -> O + Sync + Send,
) -> Vec<O> {
    use rayon::prelude::*;
    let threads = rayon::current_num_threads();
    if threads == 1 {
        return items.chunks(size).map(work).collect();
    }
    let share = items.len().div_ceil(threads);
    let size = share.clamp((size / 4).max(1), size);
    items.par_chunks(size).map(work).collect()
}
