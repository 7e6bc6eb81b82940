//! Forged chains, read by code that shares nothing with the forge.

mod checks;
mod linked;
mod moved;
mod recipes;
mod refused;
mod resume;
mod walk;
mod writer;
