//! Schemes that must not be used, kept to measure and to attack.

pub mod seed;
