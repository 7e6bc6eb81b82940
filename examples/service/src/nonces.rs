//! The nonces of the last minutes, so that each counts once.
//!
//! A request says when it was made, and is refused if that is more than [`WINDOW`] seconds from
//! now. Within the window its nonce is remembered. What is forgotten is therefore what would be
//! refused anyway. If there is no more room, requests are refused: to forget a nonce early would be
//! to accept its request again.

use std::collections::BTreeSet;

use thiserror::Error;

/// How far the client's clock may be from the service's, either way, in seconds.
pub const WINDOW: u64 = 60;

/// The nonces that were spent.
pub struct Nonces {
    /// Each with the time of its request, which is part of what was sealed: the oldest first.
    spent: BTreeSet<(u64, [u8; 32])>,
    capacity: usize,
    /// The latest time that was seen. If the clock of the machine is set back, nothing that was
    /// forgotten may come into the window again.
    latest: u64,
}

/// Why a nonce does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unspendable {
    /// The request was made too long ago, or in the future.
    #[error("the time of the request is more than {WINDOW} seconds from that of the service")]
    OutOfTime,
    /// The request arrived before.
    #[error("the request was made before")]
    Replayed,
    /// There is no room to remember it.
    #[error("too many requests within the last minutes")]
    Full,
}

impl Nonces {
    /// Room for this many nonces, 64 bytes or so each. A service that answers r requests a second
    /// needs room for 2 · [`WINDOW`] · r.
    pub fn new(capacity: usize) -> Self {
        Self {
            spent: BTreeSet::new(),
            capacity,
            latest: 0,
        }
    }

    /// Accepts the nonce of a request that was made at this time, once. Ask last, after all other
    /// checks, so that only holders of valid tokens can fill the store.
    ///
    /// # Errors
    /// Why the request must be refused.
    pub fn spend(&mut self, nonce: [u8; 32], time: u64, now: u64) -> Result<(), Unspendable> {
        self.latest = self.latest.max(now);
        while self
            .spent
            .first()
            .is_some_and(|(time, _)| *time + WINDOW < self.latest)
        {
            self.spent.pop_first();
        }
        if self.latest.abs_diff(time) > WINDOW {
            return Err(Unspendable::OutOfTime);
        }
        if self.spent.contains(&(time, nonce)) {
            return Err(Unspendable::Replayed);
        }
        if self.spent.len() >= self.capacity {
            return Err(Unspendable::Full);
        }
        self.spent.insert((time, nonce));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    #[test]
    fn a_nonce_counts_once_as_long_as_its_time_does() {
        let mut nonces = Nonces::new(10);
        let time = NOW + WINDOW;
        assert_eq!(nonces.spend([1; 32], time, NOW), Ok(()));
        for now in [NOW, NOW + 1, time, time + WINDOW] {
            assert_eq!(nonces.spend([1; 32], time, now), Err(Unspendable::Replayed));
        }
        let late = time + WINDOW + 1;
        assert_eq!(
            nonces.spend([1; 32], time, late),
            Err(Unspendable::OutOfTime)
        );
        assert!(nonces.spent.is_empty());
    }

    #[test]
    fn times_out_of_the_window_are_refused() {
        let mut nonces = Nonces::new(10);
        for time in [0, NOW - WINDOW - 1, NOW + WINDOW + 1, u64::MAX] {
            assert_eq!(
                nonces.spend([1; 32], time, NOW),
                Err(Unspendable::OutOfTime)
            );
        }
        for time in [NOW - WINDOW, NOW + WINDOW] {
            assert_eq!(nonces.spend([1; 32], time, NOW), Ok(()));
        }
    }

    #[test]
    fn a_full_store_refuses_until_times_pass() {
        let mut nonces = Nonces::new(2);
        assert_eq!(nonces.spend([1; 32], NOW, NOW), Ok(()));
        assert_eq!(nonces.spend([2; 32], NOW, NOW), Ok(()));
        let full = NOW + WINDOW;
        assert_eq!(nonces.spend([3; 32], full, full), Err(Unspendable::Full));
        assert_eq!(nonces.spend([1; 32], NOW, full), Err(Unspendable::Replayed));
        assert_eq!(nonces.spend([3; 32], full, full + 1), Ok(()));
    }

    #[test]
    fn a_clock_that_is_set_back_brings_nothing_back() {
        let mut nonces = Nonces::new(10);
        assert_eq!(nonces.spend([1; 32], NOW, NOW), Ok(()));
        let later = NOW + WINDOW + 1;
        assert_eq!(nonces.spend([2; 32], later, later), Ok(()));
        assert_eq!(nonces.spend([1; 32], NOW, NOW), Err(Unspendable::OutOfTime));
    }
}
