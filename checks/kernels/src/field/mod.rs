//! The field of klero-lanes on words of another kind.
//!
//! `model` gives the operations of its words to what can execute them (see [`crate::words`]), and
//! `backends` puts the kernels over these words together as each backend does over its own.

pub mod any;
pub mod backends;
pub mod doubled;
pub mod kernels;
pub mod model;
pub mod source;
