//! Work that runs ahead of a caller that pulls, within a budget of memory.

use std::collections::VecDeque;
use std::fmt;
use std::iter::{Fuse, Peekable};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::{wait, width};

/// The results of `work` on the items of an iterator, in their order. While the caller is busy
/// with one result, the threads of the current rayon pool work on the items behind it.
///
/// Two items per thread, and at most 256, are under way, counting the one whose result the caller
/// has, as long as their weights together are at most `limit`; one is, whatever its weight. An item
/// that no thread has begun when its result is asked for is worked on by the caller itself. So with
/// a pool of one thread, where nothing is begun early, all work is done by the caller, item by
/// item; and no call waits for work that nobody does.
///
/// ```
/// let squares = klero_pipeline::Ahead::new(1..=1000u64, 100, |_| 1, |number| number * number);
/// assert_eq!(squares.sum::<u64>(), 333_833_500);
/// ```
pub struct Ahead<S: Iterator, O> {
    source: Peekable<Fuse<S>>,
    weigh: fn(&S::Item) -> u64,
    work: Work<S::Item, O>,
    /// The most items under way, and their most weight.
    width: usize,
    limit: u64,
    /// The oldest first.
    under_way: VecDeque<Task<S::Item, O>>,
}

type Work<I, O> = Arc<dyn Fn(I) -> O + Send + Sync>;

/// An item under way: whoever takes it works on it.
struct Task<I, O> {
    item: Arc<Mutex<Option<I>>>,
    weight: u64,
    /// The result, or its panic, if a thread of the pool took the item.
    result: Option<Receiver<thread::Result<O>>>,
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
        let width = match rayon::current_num_threads() {
            1 => 1,
            _ => width(),
        };
        Self {
            source: source.fuse().peekable(),
            weigh,
            work: Arc::new(work),
            width,
            limit,
            under_way: VecDeque::new(),
        }
    }

    /// Begins items behind one of this weight, as far as there is room.
    fn begin(&mut self, weight: u64) {
        let weights = self.under_way.iter().map(|task| task.weight);
        let mut sum = weights.fold(weight, u64::saturating_add);
        while 1 + self.under_way.len() < self.width
            && let Some(item) = self.source.peek()
        {
            let weight = (self.weigh)(item);
            sum = sum.saturating_add(weight);
            if sum > self.limit {
                return;
            }
            let mut task = Task::new(self.source.next(), weight);
            task.spawn(&self.work);
            self.under_way.push_back(task);
        }
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
        let task = match self.under_way.pop_front() {
            Some(task) => task,
            None => {
                let item = self.source.next()?;
                let weight = (self.weigh)(&item);
                Task::new(Some(item), weight)
            }
        };
        self.begin(task.weight);
        Some(task.finish(&*self.work))
    }
}

impl<I: Send + 'static, O: Send + 'static> Task<I, O> {
    fn new(item: Option<I>, weight: u64) -> Self {
        Self {
            item: Arc::new(Mutex::new(item)),
            weight,
            result: None,
        }
    }

    fn spawn(&mut self, work: &Work<I, O>) {
        let (sender, receiver) = sync_channel(1);
        self.result = Some(receiver);
        let (item, work) = (self.item.clone(), work.clone());
        rayon::spawn(move || {
            if let Some(item) = take(&item) {
                let result = catch_unwind(AssertUnwindSafe(|| work(item)));
                // Nobody waits any more if the results were dropped.
                drop(sender.send(result));
            }
        });
    }

    fn finish(self, work: &dyn Fn(I) -> O) -> O {
        match (take(&self.item), self.result) {
            (Some(item), _) => work(item),
            (None, Some(result)) => {
                let result = wait(&result).expect("who takes the item sends its result");
                result.unwrap_or_else(|panic| resume_unwind(panic))
            }
            (None, None) => unreachable!("only spawned work takes the item"),
        }
    }
}

fn take<I>(item: &Mutex<Option<I>>) -> Option<I> {
    item.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl<S: Iterator, O> fmt::Debug for Ahead<S, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ahead").finish_non_exhaustive()
    }
}

impl<S: Iterator, O> Drop for Ahead<S, O> {
    /// What no thread has begun is not begun any more.
    fn drop(&mut self) {
        for task in &self.under_way {
            drop(take(&task.item));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread::{sleep, yield_now};
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
