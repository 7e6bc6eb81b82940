//! `klero token`: what the sessions in `golden` do not show.

#[path = "../common/mod.rs"]
mod common;

mod files;
mod secrets;
mod support;
mod terminal;
mod verdicts;
