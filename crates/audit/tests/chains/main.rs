//! Audits of forged chains and their headers, and of a real one, valid and damaged.

mod blocks;
mod broken;
mod db;
mod dijkstra;
mod doubt;
mod files;
mod given;
mod headers;
mod leaders;
mod ledger;
mod live;
mod observer;
mod places;
mod promises;
mod run;
mod signed;
mod state_file;
mod states;
mod threads;
