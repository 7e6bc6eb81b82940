//! Words that are numbers: what a processor computes.

use super::domain::{Domain, Operand, Operation};

/// A word, or a sum of two words.
#[derive(Clone, Copy, Debug)]
pub struct Concrete(pub u128);

impl Concrete {
    pub fn word(self) -> u64 {
        self.0 as u64
    }

    fn double(self) -> f64 {
        f64::from_bits(self.word())
    }
}

impl Operand for Concrete {
    fn apply(operation: Operation, operands: &[Self]) -> Self {
        use Operation::*;
        let word = |i: usize| operands[i].word();
        let double = |i: usize| operands[i].double();
        let factors = || {
            let low = |i: usize| u128::from(word(i) & ((1 << 52) - 1));
            low(1) * low(2)
        };
        let word = match operation {
            Splat(word) => word,
            Add => word(0).wrapping_add(word(1)),
            Sub => word(0).wrapping_sub(word(1)),
            And => word(0) & word(1),
            Or => word(0) | word(1),
            ShiftLeft(bits) => word(0).checked_shl(bits).unwrap_or(0),
            ShiftRight(bits) => word(0).checked_shr(bits).unwrap_or(0),
            Mul32 => (word(0) & 0xffff_ffff) * (word(1) & 0xffff_ffff),
            Times(by) => word(0).wrapping_mul(by),
            Low52 => word(0).wrapping_add(factors() as u64 & ((1 << 52) - 1)),
            High52 => word(0).wrapping_add((factors() >> 52) as u64),
            DoubleMulAdd => double(0).mul_add(double(1), double(2)).to_bits(),
            DoubleAdd => (double(0) + double(1)).to_bits(),
            DoubleSub => (double(0) - double(1)).to_bits(),
            Product => return Self(u128::from(word(0)) * u128::from(word(1))),
            AddSums => return Self(operands[0].0.wrapping_add(operands[1].0)),
            ShiftSumRight(bits) => return Self(operands[0].0 >> bits),
            ToSum | LowOfSum => word(0),
            Select(set) => word(usize::from(!set)),
            AddWhere(set) => word(0).wrapping_add(if set { word(1) } else { 0 }),
            SubtractWhere(true, from) => from.wrapping_sub(word(0)),
            SubtractWhere(false, _) => word(0),
            Move(_) => unreachable!("one word has one lane"),
        };
        Self(word.into())
    }
}

impl Domain for Concrete {
    fn is_zero(self) -> bool {
        self.word() == 0
    }

    fn is_below(self, bound: u64) -> bool {
        self.word() < bound
    }

    fn sum_is_below(self, bound: u128) -> bool {
        self.0 < bound
    }

    fn load(word: u64) -> Self {
        Self(word.into())
    }

    fn store(self) -> u64 {
        self.word()
    }
}
