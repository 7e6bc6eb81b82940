//! What one lane needs to multiply: the part of the portable field that depends on the width of
//! the processor's products.

use super::limbs::Limbs;

/// How one lane multiplies: limbs are tight before, and wide after it.
pub(crate) trait Multiply: Copy {
    /// As `Field::WIDE`.
    const WIDE: u64;

    /// As `Field::BIAS`.
    const BIAS: Limbs;

    /// a·b.
    fn product(a: &Limbs, b: &Limbs) -> Limbs;

    /// a².
    fn square(a: &Limbs) -> Limbs;

    /// Tight limbs of one product.
    fn carry_product(product: Limbs) -> Limbs;
}
