//! Audits of forged chains, and of a real one, valid and damaged.

mod blocks;
mod broken;
mod db;
mod dijkstra;
mod doubt;
mod files;
mod given;
mod leaders;
mod ledger;
mod live;
mod places;
mod promises;
mod run;
mod signed;
mod states;
mod threads;
