//! Caveats: each has one text, all must hold, and no more of them ever grant more.

mod conjunction;
mod said;
#[path = "../support/mod.rs"]
mod support;
mod texts;
