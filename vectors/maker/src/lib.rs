//! The maker of `vectors/headers.json`: headers of Cardano, each valid or with one broken rule, leader values,
//! and slots of the overlay, as `docs/header-vectors.md` describes them.
//!
//! A header is made with its keys, so its verdict needs no judge: the code that breaks a rule names the rule
//! that it breaks. The file is made anew from nothing, byte for byte. So a reader can see where a verdict
//! comes from, and a change of the file is one of this source. Judges of the file are elsewhere: the rules as a
//! readable model in `klero_reference::header`, and the library in the tests of `klero-audit`.
//!
//! | module | what it has |
//! |---|---|
//! | `vectors` | the groups of the file: which epochs, and which tests are in each |
//! | `lottery`, `overlay`, `signatures`, `small_order` | the headers: around proofs and the right to lead, turns of delegates, certificates and KES |
//! | `thresholds` | leader values |
//! | `era`, `context`, `header` | the eras; an epoch with its makers; a header from its fields to its bytes |
//! | `group`, `format`, `names` | a group while it is made; the text of the file; rules and roundings |
//!
//! The program `klero-vectors` writes the file. With `--check` it compares the file with what is made.

mod context;
mod era;
mod format;
mod group;
mod header;
mod lottery;
mod names;
mod overlay;
mod signatures;
mod small_order;
mod thresholds;
mod vectors;

pub use era::Era;
pub use vectors::{headers, of_epoch};
