//! edwards25519 for many points at once: one in each lane of a vector register.
//!
//! Verifying one proof is a chain of dependent operations that leaves most of a processor idle. Several
//! independent proofs side by side use the whole processor. This crate runs the same formulas on 8 points
//! (AVX-512, with or without IFMA), on 4 points (AVX-IFMA, or AVX2 and FMA) or on 1 point (portable). The
//! backend is chosen at run time. The crate provides the curve, and hashes many messages with SHA-512 or
//! BLAKE2b, but it has no VRF.
//!
//! The formulas are written once, over a field with one element in each lane. A backend defines only this
//! field and its words. An [`Engine`] runs the *stages* of one backend. A stage is a function over slices of
//! any length.
//!
//! ```
//! use klero_lanes::{Point, engine};
//! let mut encodings = [[0; 32]; 3];
//! engine().encode(&[Point::BASE; 3], &mut encodings);
//! assert_eq!(encodings[0][..4], [0x58, 0x66, 0x66, 0x66]);
//!
//! let (mut bases, mut on_curve) = ([Point::IDENTITY; 3], [false; 3]);
//! engine().decode(&encodings, &mut bases, &mut on_curve);
//! assert_eq!(on_curve, [true; 3]);
//!
//! // 5·B - 4·B = B
//! let (mut five, mut four) = ([0; 32], [0; 16]);
//! (five[0], four[0]) = (5, 4);
//! let mut points = [Point::IDENTITY; 3];
//! engine().mul_base_sub(&[five; 3], &[four; 3], &bases, &mut points);
//! let mut again = [[0; 32]; 3];
//! engine().encode(&points, &mut again);
//! assert_eq!(again, encodings);
//! ```

#![cfg_attr(not(test), no_std)]
// These lints are off in the unit tests, which include a file of the integration tests.
#![cfg_attr(not(test), warn(unreachable_pub, unnameable_types))]

extern crate alloc;

// A good order to read the files: `field/mod` and `field/limbs`; then `formulas/point`, `encoding` and
// `straus`; then `stages`, which compiles the formulas for each backend, and `engine`; then `sums`, `search`
// and `halving`; finally `sha512` and `hashing`.
#[macro_use]
mod field;
mod blake2b;
#[cfg(target_arch = "x86_64")]
mod detect;
mod engine;
mod formulas;
mod halving;
mod hashing;
mod search;
mod sha512;
mod special;
mod stages;
mod sums;
mod through;
mod tuning;
mod wiped;

pub use engine::{Engine, engine, engines, use_engine};
pub use formulas::elligator2::Elligator2;
pub use formulas::encoding::y_is_canonical;
pub use formulas::known::KnownPoint;
pub use formulas::lattice::Halves;
pub use formulas::point::Point;
pub use search::{Equations, which_hold};
pub use special::{has_small_order, is_second_encoding};
pub use through::through;
pub use wiped::wiped;

/// Products modulo the order of the group, for the other crates of Klero. The module is hidden, but its
/// interface stays the same until the next minor version.
#[doc(hidden)]
pub mod order;

/// The field and the formulas, for the programs in `checks`, which run them on other words and over
/// other primes. This module is not part of the interface, and it changes without notice.
#[doc(hidden)]
pub mod unstable {
    pub use crate::stages::STAGES;

    pub mod field {
        pub use crate::field::*;
    }

    pub mod formulas {
        pub use crate::formulas::*;
    }
}
