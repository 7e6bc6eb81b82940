//! Forged chains, read back by `pallas` and by the walk of `klero-cardano`.

mod checks;
mod linked;
mod moved;
mod recipes;
mod refused;
mod resume;
mod walk;
mod writer;
