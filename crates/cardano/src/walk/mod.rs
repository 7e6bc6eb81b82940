//! The walk along the chain: blocks in order, each with its claims, and the findings between them.

mod ahead;
mod checks;
mod event;
mod evidence;
mod last;
mod nonces;
mod resume;
mod start;
#[expect(
    clippy::module_inception,
    reason = "the walk is the main type of the module"
)]
mod walk;

pub use event::{Block, Event};
pub use last::LastBlock;
pub use start::{Resume, Start, WalkError};
pub use walk::Walk;
