//! `klero token`: keygen, mint, append, seal, verify, inspect.

#[path = "../common/mod.rs"]
mod common;

mod input;
mod journey;
mod keys;
mod shown;
mod support;
mod verdicts;
