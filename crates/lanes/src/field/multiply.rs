//! Multiplication in one lane: the part of the portable field that depends on the width of the
//! processor's products.

use super::limbs::Limbs;
use super::word::Vector;

/// A multiplication in one lane: its factors have tight limbs, and its product wide ones.
pub trait Multiply: Copy {
    /// The words of one lane that hold limbs.
    type Word: Vector;

    /// The value of `Field::WIDE`.
    const WIDE: u64;

    /// The value of `Field::BIAS`.
    const BIAS: Limbs;

    /// a·b, from tight to wide limbs.
    fn product(a: &[Self::Word; 5], b: &[Self::Word; 5]) -> [Self::Word; 5];

    /// a², from tight to wide limbs.
    fn square(a: &[Self::Word; 5]) -> [Self::Word; 5];

    /// The tight limbs of one product.
    fn carry_product(product: [Self::Word; 5]) -> [Self::Word; 5];
}
