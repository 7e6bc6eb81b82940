//! Klero itself: claims to measure with, what its backends do with them, and the parts of a
//! report about it. The released command shows these alone, the benchmark with peers shows
//! them among others.

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
