//! libklero: the crate `klero` for C, checks of tokens by the crate `klero-token`, and of Cardano's headers by
//! `klero-audit`.
//!
//! `include/klero.h` is the contract and says what each function does; the functions here have
//! the same names and their arguments in the same order. They turn pointers into slices, call
//! the crate, and write its answer.

// `klero.h` says, once for both languages, what the callers of exported functions promise.
#![allow(clippy::missing_safety_doc)]

mod access;
mod bytes;
mod floating;
mod header;
mod key;
mod many;
mod names;
mod prove;
mod status;
mod token;
mod verify;
