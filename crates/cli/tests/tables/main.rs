//! Tests of long tables, limits, suites, terminals and Parquet types that the sessions in `golden` lack.

#[path = "../common/mod.rs"]
mod common;

mod limits;
mod long;
mod suites;
mod terminal;
mod types;
