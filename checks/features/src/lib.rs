//! No code: only dependencies, with the features that tests switch on.
//!
//! Cargo compiles a crate again for another set of features, and what stands on it too. Without
//! this package `cargo run` and `cargo test` of the workspace would compile klero-lanes twice.
