//! The walk along the chain. It returns blocks, each with its claims, and findings. Each finding is returned
//! at the position in the chain that it is about.

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
