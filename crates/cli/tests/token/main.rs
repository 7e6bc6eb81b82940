//! Tests of `klero token` for cases that the sessions in `golden` do not show.

#[path = "../common/mod.rs"]
mod common;

mod files;
mod secrets;
mod support;
mod terminal;
mod verdicts;
