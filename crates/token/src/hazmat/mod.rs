//! Broken schemes, kept for benchmarks and attacks. Never use them.

pub mod seed;
