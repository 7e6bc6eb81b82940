#![doc = include_str!("../README.md")]

mod ahead;
mod results;

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use rayon::Yield;

pub use ahead::Ahead;
pub use results::Results;

/// Items between reader and writer for each thread: one to work on, and one that waits, so
/// that no thread is idle while the reader reads or the writer writes.
const ITEMS_PER_THREAD: usize = 2;

/// The most items under way, on any number of threads. Each item takes memory, so their number
/// needs a bound; this one is enough to keep 256 cores busy.
const MOST_ITEMS: usize = 256;

/// The most items that [`ordered`] has under way in the current rayon pool: two per thread, and at
/// most 256. The memory they take is this times that of an item.
///
/// ```
/// assert!((1..=256).contains(&klero_pipeline::width()));
/// ```
pub fn width() -> usize {
    width_of(rayon::current_num_threads())
}

/// [`width`] in a pool of this many threads.
fn width_of(threads: usize) -> usize {
    threads.saturating_mul(ITEMS_PER_THREAD).min(MOST_ITEMS)
}

/// Reads items with `next` until it returns `None`, runs `work` on them on all threads of the
/// current rayon pool, and passes the results to `sink` in the order of the items.
///
/// `next` and `sink` run on the calling thread. At most [`width`] items are under way at any time.
///
/// ```
/// use std::io;
///
/// let mut numbers = 1..=1000u64;
/// let mut sum = 0;
/// klero_pipeline::ordered(
///     || Ok::<_, io::Error>(numbers.next()),
///     |number| number * number,
///     |square| {
///         sum += square;
///         Ok(())
///     },
/// )?;
/// assert_eq!(sum, 333_833_500);
/// # Ok::<(), io::Error>(())
/// ```
///
/// # Errors
/// The error of `next`, after the results of all items before it went to `sink`; or that of
/// `sink`, at once.
///
/// # Panics
/// If `work` panics, its panic continues on the calling thread; no later result reaches `sink`.
pub fn ordered<I: Send, O: Send, E>(
    mut next: impl FnMut() -> Result<Option<I>, E>,
    work: impl Fn(I) -> O + Sync,
    mut sink: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    let width = width();
    let mut under_way: VecDeque<Receiver<O>> = VecDeque::with_capacity(width);
    let work = &work;
    rayon::in_place_scope(|scope| {
        let mut read = Ok(());
        loop {
            let item = match next() {
                Ok(item) => item,
                Err(error) => {
                    read = Err(error);
                    None
                }
            };
            let done = item.is_none();
            if let Some(item) = item {
                let (sender, receiver) = sync_channel(1);
                scope.spawn(move |_| drop(sender.send(work(item))));
                under_way.push_back(receiver);
            }
            while under_way.len() >= width || done {
                let Some(oldest) = under_way.pop_front() else {
                    return read;
                };
                // A sender is dropped without a result only by a panic, which the scope
                // continues when this closure returns. No later result may take the place of
                // the one that is lost.
                let Ok(result) = wait(&oldest) else {
                    return read;
                };
                sink(result)?;
            }
        }
    })
}

/// Waits for a result. A thread of the pool works meanwhile: a pool of one thread would wait for
/// itself otherwise.
fn wait<O>(result: &Receiver<O>) -> Result<O, RecvTimeoutError> {
    loop {
        let patience = match rayon::yield_now() {
            None => return result.recv().map_err(RecvTimeoutError::from),
            Some(Yield::Executed) => Duration::ZERO,
            Some(Yield::Idle) => Duration::from_millis(1),
        };
        match result.recv_timeout(patience) {
            Err(RecvTimeoutError::Timeout) => {}
            received => return received,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order_and_survive_a_failed_read() {
        let mut items = 0..1000;
        let mut seen = Vec::new();
        let ended = ordered(
            || {
                items
                    .next()
                    .map_or_else(|| Err("end"), |item| Ok(Some(item)))
            },
            |item| {
                std::thread::sleep(std::time::Duration::from_micros(item * 7919 % 50));
                item * 2
            },
            |result| {
                seen.push(result);
                Ok(())
            },
        );
        assert_eq!(ended, Err("end"));
        assert_eq!(seen, (0..1000).map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn no_result_follows_a_panic() {
        let mut items = 0..1000;
        let mut seen = Vec::new();
        let run = std::panic::AssertUnwindSafe(|| {
            ordered(
                || Ok::<_, ()>(items.next()),
                |item| {
                    assert_ne!(item, 7, "on purpose");
                    item
                },
                |result| {
                    seen.push(result);
                    Ok(())
                },
            )
        });
        assert!(std::panic::catch_unwind(run).is_err());
        assert_eq!(seen, (0..7).collect::<Vec<_>>());
    }

    #[test]
    fn a_thread_of_the_pool_may_call() {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let sum = pool.unwrap().install(|| {
                let (mut items, mut sum) = (0..1000, 0);
                let ended = ordered(
                    || Ok::<_, ()>(items.next()),
                    |item| item,
                    |item| {
                        sum += item;
                        Ok(())
                    },
                );
                ended.map(|()| sum)
            });
            assert_eq!(sum, Ok(499_500));
        }
    }
}
