//! Tables that a page of `golden` cannot show: long ones, limits, terminals, and types of Parquet.

#[path = "../common/mod.rs"]
mod common;

mod limits;
mod long;
mod suites;
mod terminal;
mod types;
