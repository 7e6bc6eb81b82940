//! What moves between lanes: loads, transposes, stores, shuffles, selections and look-ups.
//!
//! The words of vectors are written in instructions of the processor. Here their files are compiled once
//! more, with *models* of these instructions in place of `core::arch`: a register is a list of
//! symbols, one in each lane, and memory holds symbols too. A symbol that arrives in a lane says
//! where it came from. A model of a move cannot look at the words that it moves, so what moved once is
//! shown for all words.
//!
//! Masks and indices are numbers: every mask and every index is tried. Loads and stores are seen to
//! touch the rows alone.
//!
//! That an instruction does what its model says remains to tests (`field/tests/words.rs` in
//! klero-lanes).

pub mod check;
mod functions;
mod instructions;
mod registers;

// What the files of words import from the module above them.
use klero_lanes::unstable::field::word;

#[path = "../../../../crates/vrf/lanes/src/field/words256.rs"]
mod words256;
#[path = "../../../../crates/vrf/lanes/src/field/words512.rs"]
mod words512;
