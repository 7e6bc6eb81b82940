//! The error of input that cannot be used.

use alloc::string::String;

/// The error for input that cannot be read as a name, stake or coefficient, and for numbers that contradict
/// each other. The message tells what is wrong and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(pub(crate) String);
