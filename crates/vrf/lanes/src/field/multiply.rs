//! Multiplication in one lane: the part of the portable field that depends on the width of products.

use super::limbs::Limbs;
use super::word::Vector;

/// A multiplication in one lane. Its factors have tight limbs, and its product has wide limbs.
pub trait Multiply: Copy {
    /// The word that holds a limb. It has one lane.
    type Word: Vector;

    /// The value of `Field::WIDE`.
    const WIDE: u64;

    /// The value of `Field::BIAS`.
    const BIAS: Limbs;

    /// a·b, as wide limbs, for tight limbs of a and b.
    fn product(a: &[Self::Word; 5], b: &[Self::Word; 5]) -> [Self::Word; 5];

    /// a², as wide limbs, for tight limbs of a.
    fn square(a: &[Self::Word; 5]) -> [Self::Word; 5];

    /// Carries the wide limbs of a single product to tight limbs.
    fn carry_product(product: [Self::Word; 5]) -> [Self::Word; 5];
}
