//! A second implementation of the schemes, which follows the written equations closely. Tests compare its
//! verdicts with those of the library, and use it for attacks. It is neither fast nor constant time.

// Each test uses only a part of this module.
#![allow(dead_code, unused_imports)]

mod aggregate;
mod chain;
mod es256;
mod scheme;
mod state;
mod strict;

pub use aggregate::*;
pub use chain::*;
pub use es256::*;
pub use scheme::*;
pub use state::state;
pub use strict::*;
