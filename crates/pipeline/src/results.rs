//! The pipeline for a caller that pulls: an iterator of results.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

use rayon::ThreadPool;

use crate::width_of;

/// The results of `work` on the items of an iterator, in their order: [`ordered`](crate::ordered)
/// for a caller that asks for one result after the other.
///
/// Each call of `next` first reads items, on the calling thread, until two per thread of the pool,
/// and at most 256, are under way, then waits for the oldest result. Between the calls the pool
/// works on.
///
/// An error of the iterator comes after the results of all items before it, and ends the
/// results.
///
/// ```
/// let pool = rayon::ThreadPoolBuilder::new().build()?;
/// let numbers = (1..=1000u64).map(Ok::<_, std::io::Error>);
/// let squares = klero_pipeline::Results::new(pool, numbers, |number| number * number);
/// let sum: u64 = squares.sum::<Result<_, _>>()?;
/// assert_eq!(sum, 333_833_500);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Results<S, I, O, E> {
    pool: ThreadPool,
    source: Option<S>,
    work: Arc<dyn Fn(I) -> O + Send + Sync>,
    /// The oldest first.
    under_way: VecDeque<Receiver<Result<O, Panic>>>,
    /// How the source ended.
    failed: Option<E>,
}

/// What a panic carries.
type Panic = Box<dyn Any + Send>;

impl<S, I, O, E> Results<S, I, O, E>
where
    S: Iterator<Item = Result<I, E>>,
    I: Send + 'static,
    O: Send + 'static,
{
    /// The results of `work` on the items of `source`, on the threads of `pool`. Nothing is
    /// read before the first result is asked for.
    pub fn new(pool: ThreadPool, source: S, work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        Self {
            pool,
            source: Some(source),
            work: Arc::new(work),
            under_way: VecDeque::new(),
            failed: None,
        }
    }

    fn start(&mut self, item: I) {
        let (sender, receiver) = sync_channel(1);
        let work = self.work.clone();
        self.pool.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(item)));
            // Nobody waits any more if the results were dropped.
            drop(sender.send(result));
        });
        self.under_way.push_back(receiver);
    }

    fn read_ahead(&mut self) {
        let width = width_of(self.pool.current_num_threads());
        while self.under_way.len() < width
            && let Some(source) = &mut self.source
        {
            match source.next() {
                Some(Ok(item)) => self.start(item),
                ended => {
                    self.source = None;
                    self.failed = ended.and_then(Result::err);
                }
            }
        }
    }
}

impl<S, I, O, E> Iterator for Results<S, I, O, E>
where
    S: Iterator<Item = Result<I, E>>,
    I: Send + 'static,
    O: Send + 'static,
{
    type Item = Result<O, E>;

    /// # Panics
    /// If `work` panicked on this item.
    fn next(&mut self) -> Option<Self::Item> {
        self.read_ahead();
        let Some(oldest) = self.under_way.pop_front() else {
            return self.failed.take().map(Err);
        };
        let result = oldest.recv().expect("the work sends a result or its panic");
        Some(Ok(result.unwrap_or_else(|panic| resume_unwind(panic))))
    }
}

impl<S, I, O, E> fmt::Debug for Results<S, I, O, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Results").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn pool(threads: usize) -> ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    #[test]
    fn results_keep_their_order_and_an_error_comes_last() {
        for threads in [1, 3] {
            let items = (0..1000).map(Ok).chain([Err("end"), Ok(7)]);
            let mut results = Results::new(pool(threads), items, |item: u64| {
                std::thread::sleep(std::time::Duration::from_micros(item * 7919 % 50));
                item * 2
            });
            let seen: Vec<_> = results.by_ref().map_while(Result::ok).collect();
            assert_eq!(seen, (0..1000).map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(results.next(), None);
        }
        let mut failed = Results::new(pool(1), [Err::<u64, _>("end")].into_iter(), |item| item);
        assert_eq!((failed.next(), failed.next()), (Some(Err("end")), None));
    }

    #[test]
    fn little_is_read_ahead() {
        let read = Arc::new(AtomicU64::new(0));
        let counter = read.clone();
        let items = (0..1000u64).map(move |item| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ()>(item)
        });
        let mut results = Results::new(pool(2), items, |item| item);
        assert_eq!(read.load(Ordering::Relaxed), 0);
        for expected in 0..10 {
            assert_eq!(results.next(), Some(Ok(expected)));
            assert_eq!(read.load(Ordering::Relaxed), expected + 4);
        }
    }

    #[test]
    fn a_panic_of_the_work_comes_in_its_place() {
        let items = (0..10).map(Ok::<u64, ()>);
        let mut results = Results::new(pool(2), items, |item| {
            assert_ne!(item, 3, "on purpose");
            item
        });
        let seen: Vec<_> = results.by_ref().take(3).collect();
        assert_eq!(seen, [Ok(0), Ok(1), Ok(2)]);
        let panic = catch_unwind(AssertUnwindSafe(|| results.next()));
        assert!(panic.is_err());
        assert_eq!(results.next(), Some(Ok(4)));
    }
}
