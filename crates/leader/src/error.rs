//! The error of input that cannot be used.

use alloc::string::String;

/// Text or numbers that are no name, no stake and no coefficient, or that contradict each other. The
/// message says what is wrong, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(pub(crate) String);
