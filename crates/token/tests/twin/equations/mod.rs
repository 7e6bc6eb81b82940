//! A second implementation of the schemes, close to the equations on paper: to compare verdicts
//! with, and for attacks. Neither fast nor constant time.

// Each test uses only a part.
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
