//! Constants of the field, as limbs of 51 bits.

use super::limbs::Limbs;

/// 0.
pub const ZERO: Limbs = [0, 0, 0, 0, 0];

/// 1.
pub const ONE: Limbs = [1, 0, 0, 0, 0];

/// The even square root of -1.
pub const SQRT_M1: Limbs = [
    1718705420411056,
    234908883556509,
    2233514472574048,
    2117202627021982,
    765476049583133,
];
