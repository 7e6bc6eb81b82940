//! Klero as a contender: claims to measure with, the work of its backends, and the sections of
//! a report.

mod beside;
mod claims;
mod growth;
mod result;
mod rows;
mod stages;
mod wrong;

pub use beside::{blake2b_row, ed25519_row};
pub use claims::{ALPHA_LEN, Claims};
pub use growth::{Grown, growth, growth_section};
pub use result::result_section;
pub use rows::{
    ALONE, KEYS, SIZES, TOGETHER, alone_rows, alone_section, kept_keys_row, name_of, prove,
    size_rows, size_section, verifier, verify,
};
pub use stages::{
    hash_to_curve_rows, hash_to_curve_section, stage_rows, stage_section, verify_stages,
};
pub use wrong::{SUMMED, wrong_rows};
