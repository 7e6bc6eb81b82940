#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

// Reading order: `layer`, `guard` (which has the order of the checks), `seal`, `nonces`, `store`, `refusal`.
mod guard;
mod layer;
mod nonces;
mod refusal;
mod seal;
mod store;

pub use guard::{Authorized, Guard};
pub use layer::{TokenLayer, TokenService};
pub use nonces::{RecentNonces, Spend};
pub use refusal::{Refusal, SCHEME, WINDOW, refuse};
pub use seal::{EPOCH, RANDOM, Sealed, TIME, read_random};
pub use store::{MemoryStore, Store};

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time in seconds since 1970, or 0 if the clock is set before that year. If a service starts
/// with such a clock, it refuses every request whose time is above [`WINDOW`], as [`Refusal::OutOfTime`].
#[must_use]
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
