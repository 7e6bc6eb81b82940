//! What one lane needs to multiply: the part of the portable field that depends on the width of
//! the processor's products.

use super::limbs::Limbs;
use super::word::Vector;

/// How one lane multiplies: limbs are tight before, and wide after it.
pub trait Multiply: Copy {
    /// What it multiplies: a word of one lane.
    type Word: Vector;

    /// As `Field::WIDE`.
    const WIDE: u64;

    /// As `Field::BIAS`.
    const BIAS: Limbs;

    /// a·b.
    fn product(a: &[Self::Word; 5], b: &[Self::Word; 5]) -> [Self::Word; 5];

    /// a².
    fn square(a: &[Self::Word; 5]) -> [Self::Word; 5];

    /// Tight limbs of one product.
    fn carry_product(product: [Self::Word; 5]) -> [Self::Word; 5];
}
