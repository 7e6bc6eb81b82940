//! The operations that kernels are made of.

/// One operation on words. Its operands are those of the function of that name in the traits of
/// `field/word.rs`, in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Splat(u64),
    Add,
    Sub,
    And,
    Or,
    ShiftLeft(u32),
    ShiftRight(u32),
    Mul32,
    /// The low 64 bits of the product with a constant.
    Times(u64),
    /// `Madd52`.
    Low52,
    High52,
    /// `Fma`.
    DoubleMulAdd,
    DoubleAdd,
    DoubleSub,
    /// `Wide128`: two words to a sum, two sums, a sum, a word to a sum, a sum to a word.
    Product,
    AddSums,
    ShiftSumRight(u32),
    ToSum,
    LowOfSum,
    /// `Vector`: the lane's bit of the mask, and the constant to subtract from.
    Select(bool),
    AddWhere(bool),
    SubtractWhere(bool, u64),
}

/// What can stand for a word of one lane, and execute operations.
pub trait Domain: Copy + 'static {
    /// Executes one operation.
    ///
    /// # Panics
    /// If the operation is not known to have a meaning for these operands.
    fn apply(operation: Operation, operands: &[Self]) -> Self;

    /// Whether the word is 0.
    fn is_zero(self) -> bool;

    /// Whether the word is known to be below the bound.
    fn is_below(self, bound: u64) -> bool;

    /// The same of a sum of two words.
    fn sum_is_below(self, bound: u128) -> bool;

    /// The word from memory.
    fn load(word: u64) -> Self;

    /// The word in memory.
    fn store(self) -> u64;
}
