#![no_std]
#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

extern crate alloc;

// Reading order: `threshold`, with the node's arithmetic in `fixed` and `functions`; `estimate`, which is
// enough for most values; `leaders`, which judges headers; `distribution`, `json` and `table`, for stake.
mod distribution;
mod error;
mod estimate;
mod fixed;
mod functions;
#[cfg(feature = "json")]
mod json;
mod leaders;
mod pool;
mod slots;
mod stake;
#[cfg(feature = "json")]
mod table;
mod threshold;
mod value;

pub use distribution::{Distribution, DistributionBuilder, Pool, TotalSource};
pub use error::BadInput;
#[cfg(feature = "json")]
pub use json::stake_snapshot;
pub use leaders::{Lead, Leaders, NoLeader, ValueTooLarge};
pub use pool::{PoolId, VrfKeyHash};
pub use slots::ActiveSlots;
pub use stake::Stake;
#[cfg(feature = "json")]
pub use table::stake_table;
pub use threshold::Threshold;
pub use value::LeaderValue;
