//! `klero token`: from keys to verdicts.

#[path = "../common/mod.rs"]
mod common;

mod access;
mod expiry;
mod given;
mod input;
mod journey;
mod keys;
mod out;
mod passkeys;
mod shown;
mod support;
mod third_party;
mod verdicts;
