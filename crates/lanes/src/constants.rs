//! Constants of the field and the curve, as limbs of 51 bits.
//!
//! The tests of this module recompute each from its definition.

use crate::backend::Limbs;

/// 0.
pub(crate) const ZERO: Limbs = [0, 0, 0, 0, 0];

/// 1.
pub(crate) const ONE: Limbs = [1, 0, 0, 0, 0];

/// The even square root of -1.
pub(crate) const SQRT_M1: Limbs = [
    1718705420411056,
    234908883556509,
    2233514472574048,
    2117202627021982,
    765476049583133,
];

/// d = -121665/121666, the coefficient of edwards25519: -x² + y² = 1 + d·x²·y².
pub(crate) const D: Limbs = [
    929955233495203,
    466365720129213,
    1662059464998953,
    2033849074728123,
    1442794654840575,
];

/// 2·d.
pub(crate) const TWO_D: Limbs = [
    1859910466990425,
    932731440258426,
    1072319116312658,
    1815898335770999,
    633789495995903,
];

/// -A, A = 486662 the coefficient of Curve25519: v² = u³ + A·u² + u.
pub(crate) const MINUS_A: Limbs = [
    2251799813198567,
    2251799813685247,
    2251799813685247,
    2251799813685247,
    2251799813685247,
];

/// 1 - √-1, a square root of -2·√-1.
pub(crate) const ONE_MINUS_I: Limbs = [
    533094393274174,
    2016890930128738,
    18285341111199,
    134597186663265,
    1486323764102114,
];

/// The even square root of -(A+2) = -486664: x = √-486664·u/v maps Curve25519 to edwards25519.
pub(crate) const SQRT_MINUS_A_MINUS_2: Limbs = [
    1693982333959686,
    608509411481997,
    2235573344831311,
    947681270984193,
    266558006233600,
];

/// A + 2 = 486664.
pub(crate) const A_PLUS_2: Limbs = [486664, 0, 0, 0, 0];

/// σ = α ± 2 with α = √(A+2), the sign such that σ·α is no square.
pub(crate) const SIGMA: Limbs = [
    1608655899704282,
    1999971613377227,
    49908634785720,
    1873700692181652,
    353702208628067,
];

/// 1/2.
pub(crate) const HALF: Limbs = [
    2251799813685239,
    2251799813685247,
    2251799813685247,
    2251799813685247,
    1125899906842623,
];
