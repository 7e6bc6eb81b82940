//! `klero chain` on real and forged chains, valid and damaged.

#[path = "../common/mod.rs"]
mod common;

mod anchor;
mod broken;
mod db;
mod dijkstra;
mod eras;
mod given;
#[cfg(unix)]
mod interrupt;
mod leaders;
mod ledger;
mod live;
mod memory;
mod pages;
mod refused;
mod run;
mod signed;
mod states;
mod whole;
