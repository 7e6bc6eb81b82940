//! `klero chain` where no page can show it: a real chain, a chain of an era to come, signals, memory.
//! The pages in `golden` show the rest.

#[path = "../common/mod.rs"]
mod common;

mod db;
mod dijkstra;
#[cfg(unix)]
mod interrupt;
mod memory;
mod preview;
mod run;
