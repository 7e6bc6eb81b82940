//! Runs work in groups, on one thread or, with the feature `rayon`, on all threads of the current pool. The
//! results are in the order of the items. No verdict or proof depends on the number of threads.

use alloc::vec::Vec;

/// Runs `work` on groups of at most `size` items on this thread, and returns the results.
#[cfg(not(feature = "rayon"))]
pub(crate) fn in_groups<I, O>(items: &[I], size: usize, work: impl Fn(&[I]) -> O) -> Vec<O> {
    items.chunks(size).map(work).collect()
}

/// Runs `work` on groups of at most `size` items, and returns the results. Groups are smaller if threads
/// would be idle otherwise, but not so small that the fixed work for each group matters. For `size / 4` items
/// or fewer, all work is done on the calling thread, and no thread pool is started.
#[cfg(feature = "rayon")]
pub(crate) fn in_groups<I: Sync, O: Send>(
    items: &[I],
    size: usize,
    work: impl Fn(&[I]) -> O + Sync + Send,
) -> Vec<O> {
    use rayon::prelude::*;
    let least = (size / 4).max(1);
    if items.len() <= least || rayon::current_num_threads() == 1 {
        return items.chunks(size).map(work).collect();
    }
    let share = items.len().div_ceil(rayon::current_num_threads());
    items
        .par_chunks(share.clamp(least, size))
        .map(work)
        .collect()
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_few_items_stay_on_the_calling_thread() {
        let threads = in_groups(&[0; 16], 64, |_| thread::current().id());
        assert_eq!(threads, [thread::current().id()]);
        assert!(in_groups(&[0; 0], 64, |_| ()).is_empty());
        let sizes = in_groups(&[0; 1000], 64, <[i32]>::len);
        assert_eq!(sizes.iter().sum::<usize>(), 1000);
    }
}
