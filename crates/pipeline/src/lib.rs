#![doc = include_str!("../README.md")]
#![warn(unreachable_pub, unnameable_types)]

mod ahead;
mod queue;
mod results;
mod width;

pub use ahead::Ahead;
pub use queue::Queue;
pub use results::Results;
pub use width::width;
