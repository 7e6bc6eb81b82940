//! Whether kernels on integers are right for all inputs; mutants of them, and faults.

use klero_lanes::order::{DELTA, multiple_of_l};
use num_bigint::BigInt;

use super::kernel::{Kernel, integer, order, word};
use super::kernels::{fold, kernels};
use super::{comparison, digits};
use crate::attempt::attempt;
use crate::faults::{Everywhere, constant, low, plant};
use crate::field::model::Model;
use crate::mutants::try_all;
use crate::numeric::Dice;
use crate::report::Report;
use crate::words::concrete::Concrete;
use crate::words::domain::Operation;
use crate::words::exact::{self, Exact, any_below, ends, power};
use crate::words::execution::{Change, Mode, execute};
use crate::words::polynomial::Value;

/// Numbers that each mutant is tried on.
const SAMPLES: u32 = 60;

const FAULTS: [(&str, Everywhere); 9] = [
    ("a shift by 12 for 13", |o| match o {
        Operation::ShiftLeft(13) => Some(Change::Instead(Operation::ShiftLeft(12))),
        Operation::ShiftRight(13) => Some(Change::Instead(Operation::ShiftRight(12))),
        _ => None,
    }),
    ("a mask of 52 bits for 51", |o| {
        constant(o, low(51), low(52))
    }),
    ("a mask of 61 bits for 60", |o| {
        constant(o, low(60), low(61))
    }),
    ("a mask of 6 bits for 7", |o| constant(o, low(7), low(6))),
    ("δ one larger", |o| constant(o, DELTA[0], DELTA[0] + 1)),
    ("δ with a bit inverted", |o| {
        constant(o, DELTA[1], DELTA[1] ^ 1 << 40)
    }),
    ("carries from word to word left out", |o| {
        (o == Operation::ShiftSumRight(64)).then_some(Change::Zero)
    }),
    ("complements one smaller", |o| {
        constant(o, u64::MAX, u64::MAX - 1)
    }),
    ("what is above 2^252 moved by 3 bits for 4", |o| {
        (o == Operation::ShiftLeft(4)).then_some(Change::Instead(Operation::ShiftLeft(3)))
    }),
];

/// Checks all, and prints what was shown.
pub fn check_all(report: &mut Report) {
    report.backend("integers");
    let of_symbols = kernels::<Exact>();
    for (symbolic, numeric) in of_symbols.iter().zip(&kernels()) {
        let result = check(symbolic, &Mode::Faithful).and_then(|operations| {
            let samples = samples(numeric);
            let count = try_all(
                &operations,
                |mode| check(symbolic, mode).is_ok(),
                |mode| samples.iter().all(|sample| is_right(numeric, mode, sample)),
            )?;
            Ok((operations.len(), count))
        });
        report.integers(&symbolic.name, result);
    }
    report.says("digits", all_digits());
    report.says("folds", multiples());
    report.says("comparison", comparison::check());
    report.faults(&plant(
        &FAULTS,
        &of_symbols,
        |kernel| kernel.name.clone(),
        check,
    ));
}

/// Checks a kernel, executed in this mode: the operations that it is made of.
pub(crate) fn check(kernel: &Kernel<Exact>, mode: &Mode) -> Result<Vec<Operation>, String> {
    attempt(|| check_with(kernel, mode.clone())).flatten()
}

fn check_with(kernel: &Kernel<Exact>, mode: Mode) -> Result<Vec<Operation>, String> {
    exact::begin();
    let parts: Vec<Vec<Value>> = kernel
        .inputs
        .iter()
        .map(|bits| bits.iter().map(|&bits| any_below(bits)).collect())
        .collect();
    let words = parts.iter().zip(&kernel.inputs);
    let inputs: Vec<_> = words
        .map(|(parts, bits)| Model(Exact::of(word(parts, bits))))
        .collect();
    let (out, operations) = execute(mode, || (kernel.run)(&inputs));
    let mut sum = Value::default();
    if out.len() != kernel.places.len() {
        return Err("another number of words".to_owned());
    }
    let mut end = 0;
    for (word, &(at, bits)) in out.into_iter().zip(&kernel.places) {
        let term = word.0.term();
        if term.ends[0] < BigInt::ZERO || term.ends[1] >= power(bits) {
            return Err("a word is out of its bounds".to_owned());
        }
        sum = sum.plus(&power(at), &term.value);
        assert_eq!(at, end, "words one after the other");
        end = at + bits;
    }
    // Both are from 0 to below 2^end, and so equal if they are equal modulo that.
    let exact = (kernel.exact)(&parts);
    let [lowest, highest] = ends(&exact);
    if lowest < BigInt::ZERO || highest >= kernel.below || kernel.below > power(end) {
        return Err("the result is out of its bounds".to_owned());
    }
    let difference = sum.minus(&exact);
    if !difference.modulo(&power(end)).is_zero() {
        return Err("the value is wrong".to_owned());
    }
    if let Some(claimed) = &kernel.modulo_l {
        let difference = exact.minus(&claimed(&parts));
        if !difference.modulo(&order()).is_zero() {
            return Err("the value is wrong modulo L".to_owned());
        }
    }
    Ok(operations)
}

/// Whether the kernel, executed in this mode, is right on words with these parts.
fn is_right(kernel: &Kernel<Concrete>, mode: &Mode, sample: &[Vec<Value>]) -> bool {
    let words = sample.iter().zip(&kernel.inputs);
    let inputs: Vec<_> = words
        .map(|(parts, bits)| {
            let word = word(parts, bits).as_constant().expect("a number");
            Model(Concrete(u64::try_from(word).expect("a word").into()))
        })
        .collect();
    let Ok((out, _)) = attempt(|| execute(mode.clone(), || (kernel.run)(&inputs))) else {
        return false;
    };
    let mut sum = BigInt::ZERO;
    for (word, &(at, bits)) in out.into_iter().zip(&kernel.places) {
        let word = BigInt::from(word.0.word());
        if word >= power(bits) {
            return false;
        }
        sum += word << at;
    }
    (kernel.exact)(sample).as_constant() == Some(sum)
}

/// Parts of words: all at an end, or near one, or any.
fn samples(kernel: &Kernel<Concrete>) -> Vec<Vec<Vec<Value>>> {
    let mut dice = Dice(0x5ca1);
    let part = |i: u32, bits: u32, dice: &mut Dice| {
        let size = 1u128 << bits;
        let number = match (i, dice.below(4)) {
            (0, _) => 0,
            (1, _) => size - 1,
            (_, 0) => dice.below(size.min(3)),
            (_, 1) => size - 1 - dice.below(size.min(3)),
            _ => dice.below(size),
        };
        Value::constant(number.into())
    };
    let inputs = &kernel.inputs;
    (0..SAMPLES)
        .map(|i| {
            let words = inputs.iter();
            words
                .map(|bits| bits.iter().map(|&bits| part(i, bits, &mut dice)).collect())
                .collect()
        })
        .collect()
}

/// Digits of every width, of integers of every number of bits.
fn all_digits() -> Result<String, String> {
    digits::check_signs()?;
    let mut shapes = 0;
    for width in digits::WIDTHS {
        for bits in 1..=digits::BITS {
            digits::check_halves(bits, width)?;
            check(&digits::kernel(bits, width), &Mode::Faithful)
                .map_err(|message| format!("{bits} bits, width {width}: {message}"))?;
            shapes += 1;
        }
    }
    Ok(format!(
        "  digits of widths 2 to 8, of integers of 1 to 256 bits: all {shapes} are right"
    ))
}

/// Whether folds by smaller multiples of L are found to become negative, by the first that is too
/// small; and whether 2^100 products, each folded, may be added and folded once more.
fn multiples() -> Result<String, String> {
    let found = |kernel| match check(&kernel, &Mode::Faithful) {
        Err(message) if message == "the result is out of its bounds" => Ok(()),
        _ => Err(format!("{} is not found too small", kernel.name)),
    };
    found(fold("2·L", 381, multiple_of_l::<6>(2, 0), power(384)))?;
    found(fold("2^33·L", 413, multiple_of_l::<7>(1, 33), power(448)))?;
    found(fold("0·L", 287, multiple_of_l::<7>(0, 0), power(448)))?;
    let folded: BigInt = 5 * power(252) + 4 * integer(&DELTA);
    let fits = folded.clone() << 100 <= power(381);
    match fits && folded <= 6 * order() && 6 * order() < power(255) {
        true => Ok(
            "  folds by 2·L for 4·L, 2^33·L for 2^34·L and 0·L for L are found to become negative"
                .to_owned(),
        ),
        false => Err("sums of products".to_owned()),
    }
}
