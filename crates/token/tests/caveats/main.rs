//! Caveats: each has one text, all must hold, and no more of them ever grant more.

mod conjunction;
mod said;
mod texts;
