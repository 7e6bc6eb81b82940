//! Caveats: each has one text, all must hold, and adding caveats never grants more.

mod conjunction;
mod said;
#[path = "../support/mod.rs"]
mod support;
mod texts;
