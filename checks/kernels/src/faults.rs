//! Faults that were planted: each must be found.
//!
//! Mutants alter one operation. Here a mistake is made everywhere at once, as an author would: a
//! wrong constant, a carry that was forgotten, a bias that is too small.

use std::collections::HashMap;
use std::rc::Rc;

use klero_lanes::unstable::field::Field;
use klero_lanes::unstable::field::limbs::TIGHT;
use num_bigint::BigInt;

use crate::field::backends::Backend;
use crate::field::doubled::faulty_square;
use crate::integer::p;
use crate::stages;
use crate::symbolic::check;
use crate::words::domain::Operation;
use crate::words::execution::{Change, Mode};
use crate::words::symbol::Symbol;

/// A change of every operation of a kind.
pub type Everywhere = fn(Operation) -> Option<Change>;

/// A constant in place of another.
pub fn constant(operation: Operation, right: u64, wrong: u64) -> Option<Change> {
    (operation == Operation::Splat(right)).then_some(Change::Instead(Operation::Splat(wrong)))
}

pub const fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// The faults of kernels on fields.
pub const OF_KERNELS: [(&str, Everywhere); 14] = [
    ("18 for 19", |o| match o {
        Operation::Times(19) => Some(Change::Instead(Operation::Times(18))),
        _ => constant(o, 19, 18),
    }),
    ("20 for 19", |o| match o {
        Operation::Times(19) => Some(Change::Instead(Operation::Times(20))),
        _ => constant(o, 19, 20),
    }),
    ("11 for 19, by shifts", |o| {
        let eight = Change::Instead(Operation::ShiftLeft(3));
        (o == Operation::ShiftLeft(4)).then_some(eight)
    }),
    ("607 for 608", |o| constant(o, 608, 607)),
    ("a mask of 52 bits for 51", |o| {
        constant(o, low(51), low(52))
    }),
    ("a mask of 50 bits for 51", |o| {
        constant(o, low(51), low(50))
    }),
    ("a mask of 53 bits for 52", |o| {
        constant(o, low(52), low(53))
    }),
    ("a mask of 48 bits for 47", |o| {
        constant(o, low(47), low(48))
    }),
    ("a mask of 26 bits for 25", |o| {
        constant(o, low(25), low(26))
    }),
    ("carries of 51 bits left out", |o| match o {
        Operation::ShiftRight(51) | Operation::ShiftSumRight(51) => Some(Change::Zero),
        _ => None,
    }),
    ("carries of 52 bits left out", |o| {
        (o == Operation::ShiftRight(52)).then_some(Change::Zero)
    }),
    ("the carry of 47 bits left out", |o| {
        (o == Operation::ShiftRight(47)).then_some(Change::Zero)
    }),
    ("C = 2^102 in doubles", |o| {
        constant(o, 103f64.exp2().to_bits(), 102f64.exp2().to_bits())
    }),
    ("all masks inverted", |o| {
        Some(Change::Instead(match o {
            Operation::Select(set) => Operation::Select(!set),
            Operation::AddWhere(set) => Operation::AddWhere(!set),
            Operation::SubtractWhere(set, from) => Operation::SubtractWhere(!set, from),
            _ => return None,
        }))
    }),
];

/// A fault that was planted in each kernel of a backend that has such an operation.
pub struct Planted {
    pub name: &'static str,
    /// The number of these kernels.
    pub kernels: usize,
    /// Those in which it was not found.
    pub missed: Vec<String>,
}

/// Plants each fault in each kernel that has such an operation. `run` checks a kernel, and returns
/// its operations.
pub fn plant<K>(
    faults: &[(&'static str, Everywhere)],
    kernels: &[K],
    name_of: impl Fn(&K) -> String,
    run: impl Fn(&K, &Mode) -> Result<Vec<Operation>, String>,
) -> Vec<Planted> {
    let operations = |kernel| run(kernel, &Mode::Faithful).unwrap_or_default();
    let operations: Vec<_> = kernels.iter().map(operations).collect();
    let plant = |&(name, change): &(&'static str, Everywhere)| {
        let has = |of: &Vec<Operation>| of.iter().any(|&operation| change(operation).is_some());
        let with = kernels.iter().zip(&operations).filter(|(_, of)| has(of));
        let with: Vec<_> = with.map(|(kernel, _)| kernel).collect();
        let fault = Mode::Fault(Rc::new(change));
        let missed = with.iter().filter(|kernel| run(kernel, &fault).is_ok());
        Planted {
            name,
            kernels: with.len(),
            missed: missed.map(|kernel| name_of(kernel)).collect(),
        }
    };
    faults.iter().map(plant).collect()
}

/// Whether the square of doubled operands is right for limbs below 2^51, and not for tight ones.
pub fn doubled_operand() -> Result<String, String> {
    let right = |bound| check(&faulty_square(bound), &Mode::Faithful).is_ok();
    match right(1 << 51) && !right(TIGHT) {
        true => Ok(
            "A square that doubles operands in place of columns is right for limbs below 2^51,\n\
             and found to be wrong for tight ones."
                .to_owned(),
        ),
        false => Err("doubled operands were not found".to_owned()),
    }
}

/// Halves the bias, 2^shift·p, until a stage breaks.
pub fn smallest_bias<B: Backend>() -> Result<String, String> {
    let bias = B::Field::<Symbol>::BIAS;
    let limbs = bias.iter().enumerate();
    let radix = B::Field::<Symbol>::RADIX as usize;
    let value: BigInt = limbs
        .map(|(i, &limb)| BigInt::from(limb) << (radix * i))
        .sum();
    let shift = (value / p()).bits() as u32 - 1;
    let zeros = bias.iter().map(|limb| limb.trailing_zeros());
    for halvings in 1..=zeros.fold(shift, u32::min) {
        // Kernels that begin with the bias begin with a half or a quarter where columns are doubled.
        let smaller: HashMap<u64, u64> = bias
            .iter()
            .flat_map(|&limb| [0, 1, 2].map(|doubled| limb >> doubled))
            .map(|limb| (limb, limb >> halvings))
            .collect();
        let change = move |operation| {
            Some(Change::Instead(match operation {
                Operation::Splat(limb) => Operation::Splat(*smaller.get(&limb)?),
                Operation::SubtractWhere(set, limb) => {
                    Operation::SubtractWhere(set, *smaller.get(&limb)?)
                }
                _ => return None,
            }))
        };
        if stages::check::<B>(Mode::Fault(Rc::new(change))).is_err() {
            let (enough, small) = (shift - halvings + 1, shift - halvings);
            return Ok(format!(
                "  bias 2^{shift}·p; all stages hold down to 2^{enough}·p, \
                 and 2^{small}·p is found too small"
            ));
        }
    }
    Err("a bias that is too small was not found".to_owned())
}
