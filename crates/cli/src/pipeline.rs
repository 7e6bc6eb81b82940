//! One reader, all cores, one writer, and the order kept.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, sync_channel};

use crate::error::Error;

/// Takes items from `next` until there is none, hands them to the cores for
/// `work`, and gives the results to `sink` in the order of the items. Only a few
/// items per core are under way at any time. If `next` fails, what came before is
/// still written.
pub fn ordered<I: Send, O: Send>(
    mut next: impl FnMut() -> Result<Option<I>, Error>,
    work: impl Fn(I) -> O + Sync,
    mut sink: impl FnMut(O) -> Result<(), Error>,
) -> Result<(), Error> {
    let width = 2 * rayon::current_num_threads();
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
                // A sender that is gone has panicked, and the scope passes that on. No later
                // result may take the place of the one that is lost.
                let Ok(result) = oldest.recv() else {
                    return Err(Error::new("a thread has stopped"));
                };
                sink(result)?;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_order_and_what_came_before_a_fault() {
        let mut items = 0..1000;
        let mut seen = Vec::new();
        let ended = ordered(
            || {
                items
                    .next()
                    .map_or_else(|| Err(Error::new("end")), |item| Ok(Some(item)))
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
        assert!(matches!(ended, Err(Error::Message(message)) if message == "end"));
        assert_eq!(seen, (0..1000).map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_written_after_a_panic() {
        let mut items = 0..1000;
        let mut seen = Vec::new();
        let run = std::panic::AssertUnwindSafe(|| {
            ordered(
                || Ok(items.next()),
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
}
