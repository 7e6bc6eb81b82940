//! Work that runs ahead of a caller that pulls, within a budget of memory.

use std::fmt;
use std::iter::{Fuse, Peekable};

use crate::queue::Queue;

/// The results of `work` on the items of an iterator, in their order. While the caller is busy
/// with one result, the threads of the current rayon pool work on the items behind it.
///
/// It is a [`Queue`] whose items have weights: as many are under way, counting the one whose result
/// the caller has, as weigh at most `limit` together; one is, whatever its weight.
///
/// ```
/// let squares = klero_pipeline::Ahead::new(1..=1000u64, 100, |_| 1, |number| number * number);
/// assert_eq!(squares.sum::<u64>(), 333_833_500);
/// ```
pub struct Ahead<S: Iterator, O> {
    source: Peekable<Fuse<S>>,
    weigh: fn(&S::Item) -> u64,
    limit: u64,
    queue: Queue<S::Item, O>,
}

impl<S, O> Ahead<S, O>
where
    S: Iterator<Item: Send + 'static>,
    O: Send + 'static,
{
    /// Nothing is read from `source` before the first result is asked for. `weigh` gives the most
    /// memory that an item can take, while it is worked on and as a result, in the unit of
    /// `limit`.
    pub fn new(
        source: S,
        limit: u64,
        weigh: fn(&S::Item) -> u64,
        work: impl Fn(S::Item) -> O + Send + Sync + 'static,
    ) -> Self {
        Self {
            source: source.fuse().peekable(),
            weigh,
            limit,
            queue: Queue::new(work),
        }
    }

    /// The next item, with its weight, if there is room for it.
    fn next_item(&mut self) -> Option<(S::Item, u64)> {
        if !self.queue.has_room() {
            return None;
        }
        let weight = (self.weigh)(self.source.peek()?);
        let sum = self.queue.weight().map(|sum| sum.saturating_add(weight));
        if sum > Some(self.limit) {
            return None;
        }
        Some((self.source.next()?, weight))
    }
}

impl<S, O> Iterator for Ahead<S, O>
where
    S: Iterator<Item: Send + 'static>,
    O: Send + 'static,
{
    type Item = O;

    /// # Panics
    /// If `work` panics on this item.
    fn next(&mut self) -> Option<O> {
        while let Some((item, weight)) = self.next_item() {
            self.queue.push_weighing(item, weight);
        }
        self.queue.pop()
    }
}

impl<S: Iterator, O> fmt::Debug for Ahead<S, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ahead").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread::{self, sleep, yield_now};
    use std::time::Duration;

    use super::*;

    fn pool(threads: usize) -> rayon::ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    #[test]
    fn results_keep_their_order() {
        for threads in [1, 2, 3, 8] {
            let results: Vec<u64> = pool(threads).install(|| {
                let slow = |item: u64| {
                    sleep(Duration::from_micros(item * 7919 % 50));
                    2 * item
                };
                Ahead::new(0..1000, u64::MAX, |_| 1, slow).collect()
            });
            assert_eq!(results, (0..1000).map(|item| 2 * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn one_thread_works_item_by_item_where_it_is_called() {
        pool(1).install(|| {
            let caller = thread::current().id();
            let read = Arc::new(AtomicU64::new(0));
            let counter = read.clone();
            let items = (0..10).inspect(move |_| {
                counter.fetch_add(1, Ordering::Relaxed);
            });
            let mut results = Ahead::new(items, u64::MAX, |_| 1, |_: u64| thread::current().id());
            for n in 0..10 {
                assert_eq!(read.load(Ordering::Relaxed), n);
                assert_eq!(results.next(), Some(caller));
            }
        });
    }

    /// Counts the weight of what is under way or not yet dropped.
    struct Held(Arc<AtomicU64>, u64);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(self.1, Ordering::SeqCst);
        }
    }

    #[test]
    fn weights_stay_within_the_limit() {
        for threads in [1, 2, 8] {
            let (held, most) = (Arc::default(), Arc::new(AtomicU64::new(0)));
            let heaviest = most.clone();
            let items = (0..400u64).map(move |n| {
                let weight = if n % 50 == 7 { 900 } else { 60 + n % 80 };
                (Arc::clone(&held), weight)
            });
            let work = move |(held, weight): (Arc<AtomicU64>, u64)| {
                let sum = weight + held.fetch_add(weight, Ordering::SeqCst);
                most.fetch_max(sum, Ordering::SeqCst);
                yield_now();
                Held(held, weight)
            };
            pool(threads).install(|| {
                let results = Ahead::new(items, 500, |(_, weight)| *weight, work);
                assert_eq!(results.count(), 400);
            });
            // One that is heavier than the limit is alone.
            assert_eq!(heaviest.load(Ordering::SeqCst), 900);
        }
    }

    #[test]
    fn a_panic_comes_in_its_place() {
        for threads in [1, 2] {
            pool(threads).install(|| {
                let mut results = Ahead::new(
                    0..10,
                    u64::MAX,
                    |_| 1,
                    |item: u64| {
                        assert_ne!(item, 3, "on purpose");
                        item
                    },
                );
                let seen: Vec<_> = results.by_ref().take(3).collect();
                assert_eq!(seen, [0, 1, 2]);
                assert!(catch_unwind(AssertUnwindSafe(|| results.next())).is_err());
                assert_eq!(results.next(), Some(4));
            });
        }
    }
}
