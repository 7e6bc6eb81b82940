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
    /// On registers: words that move between lanes.
    Move(Move),
}

/// How words move between the lanes of registers, as an instruction of x86-64 moves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// `unpacklo` and `unpackhi`: of each two lanes the first, or the second, of both registers.
    UnpackLow,
    UnpackHigh,
    /// `permute2x128`: each two lanes are those of one or the other register that four bits say.
    Pairs(u8),
    /// `shuffle_i64x2`: the first four lanes are two pairs of the first register, the others two of
    /// the second; two bits say which.
    Quarters(u8),
    /// `permute4x64` and `permutex`: each lane of four is the one of these four that two bits say.
    Shuffle(u8),
    /// `permutex2var`: each lane is the one of both registers that its index, the second operand, says.
    LookUp,
    /// `permutevar8x32`: the same of one register, in halves of words.
    LookUpHalves,
    /// The second where the mask is set, else the first.
    Blend(u8),
    /// What a load under a mask reads; the other lanes are 0.
    Keep(u8),
}

/// What operations are executed on.
pub trait Operand: Copy + 'static {
    /// Executes one operation.
    ///
    /// # Panics
    /// If the operation is not known to have a meaning for these operands.
    fn apply(operation: Operation, operands: &[Self]) -> Self;
}

/// What can stand for a word of one lane.
pub trait Domain: Operand {
    fn is_zero(self) -> bool;

    /// Whether the word is known to be below the bound.
    fn is_below(self, bound: u64) -> bool;

    /// The same of a sum of two words.
    fn sum_is_below(self, bound: u128) -> bool;

    fn load(word: u64) -> Self;

    fn store(self) -> u64;
}
