//! What all integration tests share: the oracle, the attacks, and small tools.

// Each test binary uses its own part of this module.
#![allow(dead_code)]

pub mod curve;
pub mod forger;
pub mod hostile;
pub mod oracle;
pub mod reference;
pub mod tools;
