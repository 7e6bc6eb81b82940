//! edwards25519 for many points at once: one in each lane of a vector register.
//!
//! Verifying one proof is a chain of dependent operations that leaves most of a processor
//! idle. Independent proofs side by side fill it: this crate runs the same formulas on 8
//! points (AVX-512, with IFMA or without), 4 (AVX-IFMA, or AVX2 and FMA) or 1 (portable). It
//! chooses at run time. It knows the curve, and SHA-512 and BLAKE2b of many messages, but no VRF.
//!
//! The formulas are written once, over a field element in each lane; a backend is only that
//! field and its words. An [`Engine`] is the list of *stages* on one backend, functions
//! over slices of any length.
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
// Not in the unit tests, which include a file of the integration tests.
#![cfg_attr(not(test), warn(unreachable_pub, unnameable_types))]

extern crate alloc;

// An order to read in: the page of `field`, and `field/limbs`; `formulas/point`, `encoding` and `straus`;
// `stages`, which compiles these for each backend, and `engine`; `sums`, `search` and `halving`; `sha512`
// and `hashing`.
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

/// Products modulo the order of the group, for the crates beside this one. Not documented, and not
/// changed before the next minor version.
#[doc(hidden)]
pub mod order;

/// The field and the formulas, for the programs in `checks`, which run them on words and over
/// primes of their own. Not part of the interface: it changes without notice.
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
