//! The pipeline for a caller that pulls from a source that can fail.

use std::fmt;

use rayon::ThreadPool;

use crate::queue::Queue;

/// The results of `work` on the items of an iterator that can fail, in their order, on the threads
/// of a pool: a [`Queue`] for a caller that asks for one result after the other.
///
/// Each call of `next` first reads items, on the calling thread, while there is room for them, then
/// takes the oldest result. Between the calls the pool works on.
///
/// An error of the iterator comes after the results of all items before it, and ends the
/// results.
///
/// ```
/// let numbers = (1..=1000u64).map(Ok::<_, std::io::Error>);
/// let squares = klero_pipeline::Results::new(numbers, |number| number * number);
/// let sum: u64 = squares.sum::<Result<_, _>>()?;
/// assert_eq!(sum, 333_833_500);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Results<S, I, O, E> {
    source: Option<S>,
    queue: Queue<I, O>,
    /// How the source ended.
    failed: Option<E>,
}

impl<S, I, O, E> Results<S, I, O, E>
where
    S: Iterator<Item = Result<I, E>>,
    I: Send + 'static,
    O: Send + 'static,
{
    /// The results of `work` on the items of `source`, on the threads of the current rayon pool.
    /// Nothing is read before the first result is asked for.
    pub fn new(source: S, work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        Self::of(source, Queue::new(work))
    }

    /// The same on the threads of `pool`.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let texts = ["3", "x", "4"].into_iter().map(str::parse);
    /// let mut squares = klero_pipeline::Results::on(pool, texts, |number: u32| number * number);
    /// assert_eq!(squares.next(), Some(Ok(9)));
    /// assert!(matches!(squares.next(), Some(Err(_))));
    /// assert_eq!(squares.next(), None);
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    pub fn on(pool: ThreadPool, source: S, work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        Self::of(source, Queue::on(pool, work))
    }

    fn of(source: S, queue: Queue<I, O>) -> Self {
        Self {
            source: Some(source),
            queue,
            failed: None,
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
        while self.queue.has_room()
            && let Some(source) = &mut self.source
        {
            match source.next() {
                Some(Ok(item)) => self.queue.push(item),
                ended => {
                    self.source = None;
                    self.failed = ended.and_then(Result::err);
                }
            }
        }
        let result = self.queue.pop().map(Ok);
        result.or_else(|| self.failed.take().map(Err))
    }
}

impl<S, I, O, E> fmt::Debug for Results<S, I, O, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Results").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
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
            let mut results = Results::on(pool(threads), items, |item: u64| {
                std::thread::sleep(std::time::Duration::from_micros(item * 7919 % 50));
                item * 2
            });
            let seen: Vec<_> = results.by_ref().map_while(Result::ok).collect();
            assert_eq!(seen, (0..1000).map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(results.next(), None);
        }
        let mut failed = Results::on(pool(1), [Err::<u64, _>("end")].into_iter(), |item| item);
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
        let mut results = Results::on(pool(2), items, |item| item);
        assert_eq!(read.load(Ordering::Relaxed), 0);
        for expected in 0..10 {
            assert_eq!(results.next(), Some(Ok(expected)));
            assert_eq!(read.load(Ordering::Relaxed), expected + 4);
        }
    }

    #[test]
    fn a_panic_of_the_work_comes_in_its_place() {
        let items = (0..10).map(Ok::<u64, ()>);
        let mut results = Results::on(pool(2), items, |item| {
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
