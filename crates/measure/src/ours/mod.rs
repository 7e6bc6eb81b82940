//! Klero as a contender: claims to measure with, the work of its backends, and the sections of
//! a report. `klero bench` shows these alone, the benchmark in `bench/` beside its peers.

mod claims;
mod growth;
mod result;
mod rows;
mod stages;

pub use claims::{ALPHA_LEN, Claims};
pub use growth::{Grown, growth, growth_section};
pub use result::result_section;
pub use rows::{
    ALONE, SIZES, TOGETHER, alone_rows, alone_section, name_of, prove, size_rows, size_section,
    verify,
};
pub use stages::{
    hash_to_curve_rows, hash_to_curve_section, stage_rows, stage_section, verify_stages,
};
