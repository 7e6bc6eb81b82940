//! A second implementation of the schemes, close to the equations on paper: to compare verdicts
//! with, and for attacks. Neither fast nor constant time.

// Each test uses only a part.
#![allow(dead_code)]

mod aggregate;
mod chain;
mod es256;
mod scheme;
mod state;
mod strict;

pub use aggregate::*;
pub use chain::*;
#[allow(unused_imports)] // Not every test has such keys.
pub use es256::*;
pub use scheme::*;
#[allow(unused_imports)] // Not every test asks for it.
pub use state::state;
pub use strict::*;
