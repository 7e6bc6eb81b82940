//! The nonces of the last minutes, so that each counts once.
//!
//! A request states its time, and is refused if that is more than [`WINDOW`] seconds from the service's
//! latest time. Within the window its nonce is remembered, so a request with a forgotten nonce would be
//! refused anyway. Without room, requests are refused: a nonce forgotten early would let its request pass
//! again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::refusal::{Refusal, WINDOW};

/// The use of a nonce.
#[derive(Clone, Copy, Debug)]
pub struct Spend<'a> {
    /// The hash of the request, without its time.
    pub nonce: [u8; 32],
    /// The time at which the client made the request, in seconds since 1970. The seal covers it.
    pub time: u64,
    /// The service's time, in seconds since 1970.
    pub now: u64,
    /// The rights of the token, to give each user a share of the room.
    pub rights: &'a [u8],
}

/// The nonces of one process, in memory. The epoch of a [`Guard`](crate::Guard) makes sure that a token
/// sealed before the guard started does not count afterwards.
///
/// A user, that is, all tokens of the same rights, gets a nonce only while it has fewer than there are free
/// places. One user alone gets half of the room, two who take turns a third each, and so on: nobody takes all
/// of it.
///
/// ```
/// use klero_token_http::{RecentNonces, Refusal, Spend};
/// let nonces = RecentNonces::new(1_000_000);
/// let spend = Spend { nonce: [7; 32], time: 1_800_000_000, now: 1_800_000_001, rights: b"alice" };
/// assert_eq!(nonces.spend(spend), Ok(()));
/// assert_eq!(nonces.spend(spend), Err(Refusal::Replayed));
/// ```
pub struct RecentNonces {
    capacity: usize,
    spent: Mutex<Spent>,
}

/// A user, by a hash of the rights.
type User = [u8; 16];

#[derive(Default)]
struct Spent {
    /// The user of each request, by the request's time and nonce: the oldest first.
    by_time: BTreeMap<(u64, [u8; 32]), User>,
    /// The number of nonces of each user.
    of_user: BTreeMap<User, usize>,
    /// The latest time that was seen. If the clock of the machine is set back, no forgotten nonce may come
    /// into the window again.
    latest: u64,
}

impl RecentNonces {
    /// Room for this many nonces, 90 bytes or so each. A service that answers r requests a second
    /// needs room for 2 · [`WINDOW`] · r, and twice as much if one user makes most of them.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            spent: Mutex::default(),
        }
    }

    /// Accepts a nonce once: see [`Store::spend`](crate::Store::spend).
    ///
    /// # Errors
    /// [`Refusal::OutOfTime`], [`Refusal::Replayed`], [`Refusal::Full`].
    pub fn spend(&self, spend: Spend<'_>) -> Result<(), Refusal> {
        let user = user(spend.rights);
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.forget_until(spend.now);
        if spent.latest.abs_diff(spend.time) > WINDOW {
            return Err(Refusal::OutOfTime);
        }
        let key = (spend.time, spend.nonce);
        if spent.by_time.contains_key(&key) {
            return Err(Refusal::Replayed);
        }
        let room = self.capacity.saturating_sub(spent.by_time.len());
        let of_user = spent.of_user.get(&user).copied().unwrap_or_default();
        if of_user >= room {
            return Err(Refusal::Full);
        }
        spent.of_user.insert(user, of_user + 1);
        spent.by_time.insert(key, user);
        Ok(())
    }
}

impl Spent {
    /// Forgets the nonces that are out of the window.
    fn forget_until(&mut self, now: u64) {
        self.latest = self.latest.max(now);
        while let Some(oldest) = self.by_time.first_entry() {
            if oldest.key().0.saturating_add(WINDOW) >= self.latest {
                break;
            }
            let user = oldest.remove();
            if let Some(count) = self.of_user.get_mut(&user) {
                *count -= 1;
                if *count == 0 {
                    self.of_user.remove(&user);
                }
            }
        }
    }
}

fn user(rights: &[u8]) -> User {
    let hash = Sha256::digest(rights);
    std::array::from_fn(|i| hash[i])
}

impl std::fmt::Debug for RecentNonces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RecentNonces(room for {})", self.capacity)
    }
}

#[cfg(test)]
mod tests;
