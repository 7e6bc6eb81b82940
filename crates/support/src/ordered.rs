//! Work on items by all threads, and results in the order of the items.

use std::collections::VecDeque;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, Yield};

/// Items under way for each thread: one to work on, and one that waits, so that no thread is idle while
/// the caller reads or writes.
const ITEMS_PER_THREAD: usize = 2;

/// The most items under way, on any number of threads. Each item takes memory, so their number
/// needs a bound; this one is enough to keep 256 cores busy.
const MOST_ITEMS: usize = 256;

/// A bound on the items that a [`Queue`] has under way in the current rayon pool: two per thread, and 256 in
/// all. Together they take at most this number times the memory of the largest item.
pub fn width() -> usize {
    width_of(rayon::current_num_threads())
}

fn width_of(threads: usize) -> usize {
    threads.saturating_mul(ITEMS_PER_THREAD).min(MOST_ITEMS)
}

/// The results of a queue's work on all items of an iterator, in their order.
///
/// Each call of `next` first reads items, on the calling thread, while there is room for them, then takes
/// the oldest result. Between the calls, the threads go on working. A panic of the work comes from `next`,
/// in the place of the result.
///
/// If the source can fail, its errors are items, too, and the work passes them on. Such a source must end
/// after its first error.
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

/// A queue: items go in at one end, all threads of a rayon pool work on them, and the results leave at
/// the other end, in the order of the items.
///
/// [`ordered`] moves all items of an iterator through a queue. A caller can also move them itself: it pushes
/// items while there is [room](Self::has_room), and pops the results. Then the caller alone decides which
/// items are read, when, and when reading ends.
///
/// In the current pool, a caller that pops a result works on the item itself if no thread has begun it. In a
/// pool of one thread, where nothing begins early, the caller does all work, item by item; and no call waits
/// for work that nobody does. If the queue has its own pool ([`on`](Self::on)), the caller leaves the work to
/// that pool.
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
    /// The most items under way.
    width: usize,
    weigh: fn(&I) -> u64,
    /// The most that the items under way may weigh together, unless only one is under way.
    limit: u64,
    /// The items under way, the oldest first.
    under_way: VecDeque<Task<I, O>>,
}

/// An item under way: the thread that takes it works on it.
struct Task<I, O> {
    /// The item, until a thread takes it. Nobody takes it once the queue is dropped.
    item: Arc<Mutex<Option<I>>>,
    weight: u64,
    /// Receives the result, or a panic, from another thread; `None` if the caller does all work.
    result: Option<Receiver<thread::Result<O>>>,
}

impl<I: Send + 'static, O: Send + 'static> Queue<I, O> {
    /// A queue for `work` on the threads of the current rayon pool.
    pub fn new(work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        let width = match rayon::current_num_threads() {
            1 => 1,
            threads => width_of(threads),
        };
        Self::with(None, width, work)
    }

    /// A queue for `work` on the threads of `pool`. It starts no other pool.
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

    /// Limits the memory that items take in [`ordered`]: the items under way, and the one whose result the
    /// caller has, weigh at most `limit` together; a single item may be under way whatever its weight.
    /// `weigh` gives the most memory that an item can take, while it is worked on and as a result, in the
    /// unit of `limit`.
    pub fn within(mut self, limit: u64, weigh: fn(&I) -> u64) -> Self {
        (self.limit, self.weigh) = (limit, weigh);
        self
    }

    /// True while there is room for one more item: fewer than two per thread (than one, in a current pool of
    /// one thread) and fewer than 256 in all are under way. Always true if nothing is under way.
    pub fn has_room(&self) -> bool {
        self.under_way.len() < self.width
    }

    /// True if this item and the items under way are within the limit together, or nothing is under way.
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
                // Nobody waits any more if the queue was dropped.
                drop(sender.send(result));
            }
        };
        match &self.pool {
            None => rayon::spawn(job),
            Some(pool) => pool.spawn(job),
        }
        receiver
    }

    /// The result of the oldest item; `None` if nothing is under way.
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

/// Waits for a result. A thread of a pool works for its pool meanwhile: otherwise a pool of one thread would
/// wait for itself.
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

    /// A counter of the items read so far, and the items.
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
            // The caller is a thread of the pool, and then it is not.
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

    /// A result whose weight counts until it is dropped.
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
            // An item that is heavier than the limit is alone.
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
