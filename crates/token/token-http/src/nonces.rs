//! A memory of the nonces of the last minutes, so that each nonce is accepted only once.
//!
//! A request states its time. It is refused if this time is more than [`WINDOW`] seconds before or after the
//! service's time. A nonce is remembered until its time is that old, so a request with a forgotten nonce is
//! refused because of its time. If there is no room for a new nonce, the new request is refused. Forgetting
//! an older nonce instead would let the older request pass again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::refusal::{Refusal, WINDOW};

/// The use of a nonce.
#[derive(Clone, Copy, Debug)]
pub struct Spend<'a> {
    /// The hash of the request without its time.
    pub nonce: [u8; 32],
    /// The time of the request by the clock of the client, in seconds since 1970. The seal covers this time.
    pub time: u64,
    /// The current time of the service, in seconds since 1970.
    pub now: u64,
    /// The rights of the token, which identify the user. Each user gets a share of the room for nonces.
    pub rights: &'a [u8],
}

/// The nonces of one process, in memory. They are lost when the process ends. But the next
/// [`Guard`](crate::Guard) has a new random epoch, so it refuses every token that was sealed to the old one.
///
/// All tokens with the same rights count as one user. A nonce is accepted only if its user has fewer nonces
/// than there are free places. A single user gets half of the room, two users who take turns get a third
/// each, and so on. So no user gets all of the room.
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

/// A hash of the rights, which identifies a user.
type User = [u8; 16];

#[derive(Default)]
struct Spent {
    /// The user of each request, by the time and the nonce of the request. The oldest request comes first.
    by_time: BTreeMap<(u64, [u8; 32]), User>,
    /// The number of nonces of each user.
    of_user: BTreeMap<User, usize>,
    /// The latest time of the service. If the clock of the machine is set back, this time stays: otherwise
    /// the time of a forgotten nonce could be within the window again.
    latest: u64,
}

impl RecentNonces {
    /// Makes room for this many nonces, of about 90 bytes each. For r requests per second, a service needs
    /// room for 2 · [`WINDOW`] · r nonces. If one user makes most of the requests, it needs twice as much.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            spent: Mutex::default(),
        }
    }

    /// Accepts a nonce only once, as [`Store::spend`](crate::Store::spend) requires.
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
    /// Forgets the nonces whose time is before the window.
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
