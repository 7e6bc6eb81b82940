//! The engine: work on items by all threads, and results in the order of the items.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rayon::{ThreadPool, Yield};

use crate::width::width_of;

/// Items go in at one end, are worked on by all threads of a rayon pool, and leave as results at the
/// other end, in their order.
///
/// The caller pushes while there is [room](Self::has_room), and pops one result after the other. So it
/// alone decides what is read, when, and what ends that, and there is no error that the queue
/// would have to pass on.
///
/// In the current pool, the caller itself works on an item that no thread has begun when its result
/// is popped. So with a pool of one thread, where nothing is begun early, the caller does all work,
/// item by item; and no call waits for work that nobody does. With a pool of its own
/// ([`on`](Self::on)), the caller only waits.
///
/// ```
/// use klero_pipeline::Queue;
///
/// let (mut numbers, mut sum) = (1..=1000u64, 0);
/// let mut squares = Queue::new(|number| number * number);
/// loop {
///     while squares.has_room()
///         && let Some(number) = numbers.next()
///     {
///         squares.push(number);
///     }
///     let Some(square) = squares.pop() else { break };
///     sum += square;
/// }
/// assert_eq!(sum, 333_833_500);
/// ```
pub struct Queue<I, O> {
    /// `None`: the current one.
    pool: Option<ThreadPool>,
    work: Work<I, O>,
    /// The most items under way.
    width: usize,
    /// The oldest first.
    under_way: VecDeque<Task<I, O>>,
}

type Work<I, O> = Arc<dyn Fn(I) -> O + Send + Sync>;

/// An item under way: whoever takes it works on it.
struct Task<I, O> {
    item: Arc<Mutex<Option<I>>>,
    weight: u64,
    /// The result, or its panic, if a thread of the pool takes the item.
    result: Option<Receiver<thread::Result<O>>>,
}

impl<I: Send + 'static, O: Send + 'static> Queue<I, O> {
    /// A queue for `work` on the threads of the current rayon pool.
    ///
    /// ```
    /// let mut queue = klero_pipeline::Queue::new(|n: u32| n + 1);
    /// queue.push(1);
    /// assert_eq!((queue.pop(), queue.pop()), (Some(2), None));
    /// ```
    pub fn new(work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        let width = match rayon::current_num_threads() {
            1 => 1,
            threads => width_of(threads),
        };
        Self::of(None, width, work)
    }

    /// A queue for `work` on the threads of `pool`.
    ///
    /// ```
    /// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    /// let mut queue = klero_pipeline::Queue::on(pool, |n: u32| n + 1);
    /// queue.push(1);
    /// assert_eq!(queue.pop(), Some(2));
    /// # Ok::<(), rayon::ThreadPoolBuildError>(())
    /// ```
    pub fn on(pool: ThreadPool, work: impl Fn(I) -> O + Send + Sync + 'static) -> Self {
        let width = width_of(pool.current_num_threads());
        Self::of(Some(pool), width, work)
    }

    fn of(
        pool: Option<ThreadPool>,
        width: usize,
        work: impl Fn(I) -> O + Send + Sync + 'static,
    ) -> Self {
        Self {
            pool,
            work: Arc::new(work),
            width,
            under_way: VecDeque::new(),
        }
    }

    /// Whether one more item is welcome: fewer than two per thread and 256 in all are under way. It
    /// is, if nothing is.
    ///
    /// ```
    /// let mut queue = klero_pipeline::Queue::new(|n: u32| n);
    /// while queue.has_room() {
    ///     queue.push(7);
    /// }
    /// assert_eq!(queue.pop(), Some(7));
    /// assert!(queue.has_room());
    /// ```
    pub fn has_room(&self) -> bool {
        self.under_way.len() < self.width
    }

    /// Adds an item.
    pub fn push(&mut self, item: I) {
        self.push_weighing(item, 0);
    }

    /// Adds an item of this weight.
    pub(crate) fn push_weighing(&mut self, item: I, weight: u64) {
        let mut task = Task {
            item: Arc::new(Mutex::new(Some(item))),
            weight,
            result: None,
        };
        if self.width > 1 {
            task.result = Some(self.spawn(task.item.clone()));
        }
        self.under_way.push_back(task);
    }

    /// The weight of all items under way; `None` if there are none.
    pub(crate) fn weight(&self) -> Option<u64> {
        let weights = self.under_way.iter().map(|task| task.weight);
        weights.reduce(u64::saturating_add)
    }

    fn spawn(&self, item: Arc<Mutex<Option<I>>>) -> Receiver<thread::Result<O>> {
        let (sender, receiver) = sync_channel(1);
        let work = self.work.clone();
        let job = move || {
            if let Some(item) = take(&item) {
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

fn take<I>(item: &Mutex<Option<I>>) -> Option<I> {
    item.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl<I, O> fmt::Debug for Queue<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl<I, O> Drop for Queue<I, O> {
    /// What no thread has begun is not begun any more.
    fn drop(&mut self) {
        for task in &self.under_way {
            drop(take(&task.item));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(threads: usize) -> ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    /// Pushes the items while there is room, and sees all results.
    fn all<I: Send + 'static, O: Send + 'static>(
        mut queue: Queue<I, O>,
        mut items: impl Iterator<Item = I>,
        mut see: impl FnMut(O),
    ) {
        loop {
            while queue.has_room()
                && let Some(item) = items.next()
            {
                queue.push(item);
            }
            let Some(result) = queue.pop() else { return };
            see(result);
        }
    }

    #[test]
    fn results_keep_their_order_on_any_threads() {
        let slow = |item: u64| {
            thread::sleep(Duration::from_micros(item * 7919 % 50));
            item * 2
        };
        let expected: Vec<_> = (0..1000).map(|item| item * 2).collect();
        let mut seen = Vec::new();
        all(Queue::new(slow), 0..1000, |result| seen.push(result));
        assert_eq!(seen, expected);
        for threads in [1, 2, 5] {
            // The caller is a thread of the pool, and then it is not.
            seen.clear();
            pool(threads).install(|| all(Queue::new(slow), 0..1000, |result| seen.push(result)));
            assert_eq!(seen, expected);
            seen.clear();
            let queue = Queue::on(pool(threads), slow);
            all(queue, 0..1000, |result| seen.push(result));
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn no_result_follows_a_panic() {
        let mut seen = Vec::new();
        let queue = Queue::new(|item: u64| {
            assert_ne!(item, 7, "on purpose");
            item
        });
        let run = AssertUnwindSafe(|| all(queue, 0..1000, |result| seen.push(result)));
        assert!(catch_unwind(run).is_err());
        assert_eq!(seen, (0..7).collect::<Vec<_>>());
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
