#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

mod body;
mod guard;
mod headers;
mod layer;
mod nonces;
mod refusal;
mod revocations;
mod roots;
mod seal;
mod verifier;

pub use guard::{Authorized, Field, Guard};
pub use layer::{TokenLayer, TokenService};
pub use nonces::{Nonces, RecentNonces, Spend, Unspendable, WINDOW};
pub use refusal::{Refusal, Unavailable, refuse};
pub use revocations::Revocations;
pub use roots::Roots;
pub use seal::{EPOCH, RANDOM, SCHEME, Sealed, TIME, read_random};
pub use verifier::Verifier;

use std::time::{SystemTime, UNIX_EPOCH};

/// The time in seconds since 1970. A clock before that year stands still at 0, where every
/// sealed request is out of time.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
