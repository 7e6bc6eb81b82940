//! Headers whose makers say which rule each of them breaks, and two judges: the library, and a second one
//! on the readable model.

// The soak uses a part of it.
#![allow(dead_code)]

pub mod context;
pub mod format;
mod group;
mod header;
pub mod library;
mod lottery;
pub mod names;
mod overlay;
mod signatures;
mod small_order;
pub mod thresholds;
pub mod twin;
pub mod vectors;
