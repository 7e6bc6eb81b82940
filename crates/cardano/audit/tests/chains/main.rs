//! Audits of forged and real chains, valid and damaged, and checks of their headers.

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
