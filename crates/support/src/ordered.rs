//! Lets all threads work on items, and returns the results in the order of the items.

use std::collections::VecDeque;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, Yield};

/// The number of items per thread that are under way: pushed, but not popped yet. A thread works on one item
/// while a second item waits, so that no thread is idle while the caller reads or writes.
const ITEMS_PER_THREAD: usize = 2;

/// The maximum number of items under way, on any number of threads. Items take memory, so their number must
/// have a bound. This bound is enough to keep 256 cores busy.
const MOST_ITEMS: usize = 256;

/// Returns a bound on the number of items that a [`Queue`] has under way in the current rayon pool: two per
/// thread, but at most 256. Together, the items take at most this number times the largest item's memory.
pub fn width() -> usize {
    width_of(rayon::current_num_threads())
}

fn width_of(threads: usize) -> usize {
    threads.saturating_mul(ITEMS_PER_THREAD).min(MOST_ITEMS)
}

/// Returns the results of a queue's work on all items of an iterator, in the order of the items.
///
/// Each call of `next` first reads items on the calling thread while there is room for them. Then it takes
/// the oldest result. Between the calls, the threads continue to work. If the work on an item panics, `next`
/// panics instead of returning the result.
///
/// If the source can fail, its errors are items, too, and the work must pass them on. A source that can fail
/// must end after its first error.
///
/// ```
/// use klero_support::{Queue, ordered};
/// let squares = ordered(1..=1000u64, Queue::new(|number| number * number));
/// assert_eq!(squares.sum::<u64>(), 333_833_500);
/// ```
pub fn ordered<S, O>(source: S, mut queue: Queue<S::Item, O>) -> impl Iterator<Item = O>
where
    S: Iterator<Item: Send + 'static>,
    O: Send + 'static,
{
    let mut source = source.fuse().peekable();
    iter::from_fn(move || {
        while queue.has_room()
            && let Some(item) = source.next_if(|item| queue.bears(item))
        {
            queue.push(item);
        }
        queue.pop()
    })
}

/// A queue of work. Items enter at one end, all threads of a rayon pool work on them, and the results leave
/// at the other end, in the order of the items.
///
/// [`ordered`] moves all items of an iterator through a queue. A caller can also use a queue directly: it
/// pushes items while there is [room](Self::has_room), and pops the results. Then the caller alone decides
/// which items are read and when, and when reading ends.
///
/// A queue uses the current pool or its own pool ([`on`](Self::on)). In the current pool, if no thread has
/// begun with the oldest item when the caller pops, the caller works on that item. So this call does not wait
/// for work that no thread has begun. If the current pool has one thread, the caller does all work, item by
/// item, when it pops. If the queue has its own pool, the caller leaves the work to that pool.
///
/// ```
/// let mut queue = klero_support::Queue::new(|n: u32| n + 1);
/// queue.push(1);
/// queue.push(7);
/// assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(2), Some(8), None));
/// ```
#[must_use]
pub struct Queue<I, O> {
    /// The queue's own pool; `None` for the current pool.
    pool: Option<ThreadPool>,
    work: Arc<dyn Fn(I) -> O + Send + Sync>,
    /// The maximum number of items under way.
    width: usize,
    weigh: fn(&I) -> u64,
    /// The maximum weight of all items under way together. A single item may be heavier.
    limit: u64,
    /// The items under way, the oldest first.
    under_way: VecDeque<Task<I, O>>,
}

/// An item under way. The thread that takes the item works on it.
struct Task<I, O> {
    /// The item, until a thread takes it. No thread takes it after the queue is dropped.
    item: Arc<Mutex<Option<I>>>,
    weight: u64,
    /// Receives the result, or a panic, from another thread; `None` if the caller does all work.
    result: Option<Receiver<thread::Result<O>>>,
}

impl<I: Send + 'static, O: Send + 'static> Queue<I, O> {
    /// Makes a queue for `work` on the threads of the current rayon pool.
    pub fn new(work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        let width = match rayon::current_num_threads() {
            1 => 1,
            threads => width_of(threads),
        };
        Self::with(None, width, work)
    }

    /// Makes a queue for `work` on the threads of `pool`. No other pool is started.
    pub fn on(pool: ThreadPool, work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        let width = width_of(pool.current_num_threads());
        Self::with(Some(pool), width, work)
    }

    fn with(
        pool: Option<ThreadPool>,
        width: usize,
        work: impl Fn(I) -> O + Send + Sync + 'static,
    ) -> Self {
        Self {
            pool,
            work: Arc::new(work),
            width,
            weigh: |_| 0,
            limit: u64::MAX,
            under_way: VecDeque::new(),
        }
    }

    /// Limits the memory that items take in [`ordered`]. The items under way and the result that the caller
    /// holds weigh at most `limit` together, if the caller drops each result before it asks for the next. An
    /// item that is heavier than `limit` is under way alone. `weigh` returns the maximum memory that an item
    /// takes, during the work and as a result, in the unit of `limit`.
    pub fn within(mut self, limit: u64, weigh: fn(&I) -> u64) -> Self {
        (self.limit, self.weigh) = (limit, weigh);
        self
    }

    /// True if one more item may be pushed. There is room for two items per thread, but at most 256 in all,
    /// and for one if the queue uses a current pool of one thread. Always true if nothing is under way.
    pub fn has_room(&self) -> bool {
        self.under_way.len() < self.width
    }

    /// True if nothing is under way, or this item and the items under way are within the limit together.
    fn bears(&self, item: &I) -> bool {
        let weights = self.under_way.iter().map(|task| task.weight);
        let sum = weights.fold((self.weigh)(item), u64::saturating_add);
        sum <= self.limit || self.under_way.is_empty()
    }

    /// Adds an item.
    pub fn push(&mut self, item: I) {
        let weight = (self.weigh)(&item);
        let item = Arc::new(Mutex::new(Some(item)));
        let result = (self.width > 1).then(|| self.spawn(Arc::downgrade(&item)));
        self.under_way.push_back(Task {
            item,
            weight,
            result,
        });
    }

    fn spawn(&self, item: Weak<Mutex<Option<I>>>) -> Receiver<thread::Result<O>> {
        let (sender, receiver) = sync_channel(1);
        let work = self.work.clone();
        let job = move || {
            if let Some(item) = item.upgrade().and_then(|item| take(&item)) {
                let result = catch_unwind(AssertUnwindSafe(|| work(item)));
                // Sending fails if the queue was dropped. Then nobody needs the result.
                drop(sender.send(result));
            }
        };
        match &self.pool {
            None => rayon::spawn(job),
            Some(pool) => pool.spawn(job),
        }
        receiver
    }

    /// Takes the result of the oldest item. Returns `None` if nothing is under way.
    ///
    /// # Panics
    /// If `work` panics on this item.
    pub fn pop(&mut self) -> Option<O> {
        let Task { item, result, .. } = self.under_way.pop_front()?;
        let Some(result) = result else {
            let item = take(&item).expect("only spawned work takes an item");
            return Some((self.work)(item));
        };
        if self.pool.is_none()
            && let Some(item) = take(&item)
        {
            return Some((self.work)(item));
        }
        let result = wait(&result).expect("who takes the item sends its result");
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

/// Waits for a result. A thread of a pool does other work of its pool meanwhile. If it did not, a pool of one
/// thread would wait for itself.
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

fn take<I>(item: &Mutex<Option<I>>) -> Option<I> {
    item.lock().unwrap_or_else(PoisonError::into_inner).take()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread::{sleep, yield_now};

    use super::*;

    fn pool(threads: usize) -> ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    /// Returns a counter of the items read so far, and the items.
    fn counted(items: u64) -> (Arc<AtomicU64>, impl Iterator<Item = u64>) {
        let read = Arc::new(AtomicU64::new(0));
        let counter = read.clone();
        let items = (0..items).inspect(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        (read, items)
    }

    #[test]
    fn results_keep_their_order_on_any_threads() {
        let slow = |item: u64| {
            sleep(Duration::from_micros(item * 7919 % 50));
            item * 2
        };
        let check = |queue| assert!(ordered(0..1000, queue).eq((0..1000).map(|item| item * 2)));
        check(Queue::new(slow));
        for threads in [1, 2, 3, 8] {
            // The caller is a thread of the pool in the first check, and is not in the second check.
            pool(threads).install(|| check(Queue::new(slow)));
            check(Queue::on(pool(threads), slow));
        }
    }

    #[test]
    fn little_is_read_ahead() {
        let (read, items) = counted(1000);
        let mut results = ordered(items, Queue::on(pool(2), |item| item));
        assert_eq!(read.load(Ordering::Relaxed), 0);
        for expected in 0..10 {
            assert_eq!(results.next(), Some(expected));
            assert_eq!(read.load(Ordering::Relaxed), expected + 4);
        }
    }

    #[test]
    fn one_thread_works_item_by_item_where_it_is_called() {
        pool(1).install(|| {
            let caller = thread::current().id();
            let (read, items) = counted(10);
            let mut results = ordered(items, Queue::new(|_| thread::current().id()));
            for n in 0..10 {
                assert_eq!(read.load(Ordering::Relaxed), n);
                assert_eq!(results.next(), Some(caller));
            }
        });
    }

    /// A sum of weights, and a result's weight, which is part of that sum until the result is dropped.
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
                let queue = Queue::new(work).within(500, |(_, weight)| *weight);
                assert_eq!(ordered(items, queue).count(), 400);
            });
            // The heaviest sum is the weight of one item, because an item above the limit is under way alone.
            assert_eq!(heaviest.load(Ordering::SeqCst), 900);
        }
    }

    #[test]
    fn a_panic_comes_in_its_place() {
        let panics = |item: u64| {
            assert_ne!(item, 3, "on purpose");
            item
        };
        let check = |queue| {
            let mut results = ordered(0..10, queue);
            let seen: Vec<_> = results.by_ref().take(3).collect();
            assert_eq!(seen, [0, 1, 2]);
            assert!(catch_unwind(AssertUnwindSafe(|| results.next())).is_err());
            assert_eq!(results.next(), Some(4));
        };
        for threads in [1, 2] {
            pool(threads).install(|| check(Queue::new(panics)));
            check(Queue::on(pool(threads), panics));
        }
    }

    #[test]
    fn what_nobody_began_is_dropped_with_the_queue() {
        let began = Arc::new(Mutex::new(0));
        let counter = began.clone();
        pool(1).install(|| {
            let mut queue = Queue::new(move |_: u64| *counter.lock().unwrap() += 1);
            queue.push(1);
            queue.push(2);
            assert_eq!(queue.pop(), Some(()));
        });
        assert_eq!(*began.lock().unwrap(), 1);
    }
}
