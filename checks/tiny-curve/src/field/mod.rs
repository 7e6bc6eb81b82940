//! Elements modulo a prime q of one byte, in lanes: what the formulas of klero-lanes run over here.

mod prime;
mod tiny;
mod words;

pub(crate) use prime::use_prime;
pub(crate) use tiny::Tiny;
