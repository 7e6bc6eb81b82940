#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

// Read `layer`, `guard` for the order of the checks, `seal`, `nonces`, `store`, `refusal`, in this order.
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

/// The time in seconds since 1970, or 0 if the clock is set before that year. A service that starts with such
/// a clock refuses requests with a time above [`WINDOW`] as out of time.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
