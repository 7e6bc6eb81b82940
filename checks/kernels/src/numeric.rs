//! Kernels on numbers: whether a mutant is wrong on some of them.

use num_bigint::BigInt;

use crate::attempt::attempt;
use crate::field::backends::Reading;
use crate::field::kernels::{Claim, Kernel, Output, Words};
use crate::field::model::Model;
use crate::integer::p;
use crate::symbolic::claimed;
use crate::words::concrete::Concrete;
use crate::words::execution::{Mode, execute};
use crate::words::interval::Interval;
use crate::words::polynomial::Value;

/// The words of all inputs.
pub type Sample = Vec<[u64; 5]>;

/// A xorshift generator: every run is the same.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u128) -> u128 {
        let mut word = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            u128::from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d))
        };
        word() % bound
    }

    /// A limb in the range: at an end of it, near a power of 2, or any.
    fn limb(&mut self, range: Interval) -> u64 {
        let size = (range.high - range.low) as u128 + 1;
        let near = |power: u128, away: u128| (power + away).saturating_sub(20).min(size - 1);
        let offset = match self.below(8) {
            0 => 0,
            1 => size - 1,
            2 => near(1 << 51, self.below(40)),
            3 => near(1 << 52, self.below(40)),
            4 => self.below(40.min(size)),
            _ => self.below(size),
        };
        (range.low + offset as i128) as u64
    }
}

/// Inputs of a kernel: all limbs at their ends, elements near 0 and p, and others.
pub fn samples(kernel: &Kernel<Concrete>, count: usize) -> Vec<Sample> {
    let mut dice = Dice(0x5eed);
    let one = |i: usize, dice: &mut Dice| -> Sample {
        let of = |ranges: [Interval; 5], reading: Reading, dice: &mut Dice| match i {
            0 => ranges.map(|range| range.high as u64),
            1 => ranges.map(|range| range.low as u64),
            _ if i.is_multiple_of(3) => near_p(reading, ranges, dice),
            _ => ranges.map(|range| dice.limb(range)),
        };
        let inputs = kernel.inputs.iter();
        inputs
            .map(|input| of(input.ranges, input.reading, dice))
            .collect()
    };
    (0..count).map(|i| one(i, &mut dice)).collect()
}

/// p, and some more or less, where the ranges allow it.
fn near_p(reading: Reading, ranges: [Interval; 5], dice: &mut Dice) -> [u64; 5] {
    let value = p() - 20 + BigInt::from(dice.below(60));
    let mask = (BigInt::from(1) << reading.radix()) - 1;
    std::array::from_fn(|i| {
        let limb = (&value >> (reading.radix() as usize * i)) & &mask;
        let limb = i128::try_from(limb).expect("a limb");
        limb.clamp(ranges[i].low, ranges[i].high) as u64
    })
}

/// The integer that words stand for, and whether each is within its bounds. Nothing if a double is
/// no integer.
fn read(reading: Reading, words: Words<Concrete>, bounds: [Interval; 5]) -> Option<(BigInt, bool)> {
    let mut value = BigInt::ZERO;
    let mut within = true;
    for (i, word) in words.into_iter().enumerate() {
        let word = word.0.word();
        let limb = match reading {
            Reading::Doubles => {
                let double = f64::from_bits(word);
                let limb = double as i128;
                if limb as f64 != double {
                    return None;
                }
                limb
            }
            Reading::Dirty if i < 4 => i128::from(word & ((1 << 52) - 1)),
            _ => word.into(),
        };
        within &= Interval::point(limb).is_within(bounds[i]);
        value += BigInt::from(limb) << (reading.radix() * i as u32);
    }
    Some((value, within))
}

/// Whether the kernel, executed in this mode, is right on this input.
pub fn is_right(kernel: &Kernel<Concrete>, mode: &Mode, sample: &Sample) -> bool {
    let words = |i: usize| -> Words<Concrete> {
        sample[i].map(|limb| {
            Model(Concrete(match kernel.inputs[i].reading {
                Reading::Doubles => (limb as f64).to_bits().into(),
                _ => limb.into(),
            }))
        })
    };
    let inputs: Vec<_> = (0..sample.len()).map(words).collect();
    let Ok((out, _)) = attempt(|| execute(mode.clone(), || (kernel.run)(&inputs))) else {
        return false;
    };
    let value = |i: usize| {
        let input = &kernel.inputs[i];
        let read = read(input.reading, inputs[i], input.ranges);
        Value::constant(read.expect("limbs").0)
    };
    let p = p();
    let least = |value: BigInt| ((value % &p) + &p) % &p;
    let claimed = claimed(&kernel.claim, value).map(|value| value.as_constant());
    let claimed = least(claimed.ok().flatten().expect("a number"));
    match out {
        Output::Words(out) => match read(kernel.output, out, kernel.bounds) {
            Some((out, true)) => match kernel.claim {
                Claim::Least(_) => out == claimed,
                _ => least(out) == claimed,
            },
            _ => false,
        },
        Output::Mask(mask) => match kernel.claim {
            Claim::IsZero(_) => (mask == 1) == (claimed == BigInt::ZERO),
            _ => (mask == 1) == claimed.bit(0),
        },
    }
}
