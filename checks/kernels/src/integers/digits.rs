//! Signed digits of integers, of every width and every number of bits that klero-lanes allows.

use klero_lanes::unstable::field::word::{Cut, Word, cut_out, digits_one_by_one};
use klero_lanes::unstable::formulas::equation;
use klero_lanes::unstable::formulas::scalar::SignedDigits;
use num_bigint::BigInt;

use super::kernel::{Kernel, Of, whole};
use crate::field::model::Model;
use crate::words::domain::Domain;
use crate::words::exact::power;
use crate::words::polynomial::Value;

/// The widths, and the most bits of an integer.
pub const WIDTHS: std::ops::RangeInclusive<u32> = 2..=8;
pub const BITS: u32 = 256;

/// What was added to all digits but the last.
pub(crate) fn halves(bits: u32, width: u32) -> BigInt {
    let count = (bits + 1).div_ceil(width);
    (1..count).map(|i| power(width * i - 1)).sum()
}

/// The digits with their halves, as klero-lanes cuts them for one lane and for many. The digit less
/// its half is from -2^(width-1) to below 2^(width-1).
pub(crate) fn kernel<D: Domain>(bits: u32, width: u32) -> Kernel<D> {
    let signed = SignedDigits::new(bits as usize, width as usize);
    // Four words, and what of each counts.
    let inputs: Vec<Vec<u32>> = (0..4)
        .map(|i| match bits.saturating_sub(64 * i) {
            0 => vec![0, 64],
            left @ 1..64 => vec![left, 64 - left],
            _ => vec![64, 0],
        })
        .collect();
    let raised = halves(bits, width);
    Kernel {
        name: format!("digits {bits}/{width}"),
        inputs,
        run: Box::new(move |x| {
            let zero = Model::splat(0);
            let words = signed.raise([x[0], x[1], x[2], x[3], zero, zero]);
            let cut = (0..signed.count()).map(|i| {
                let (word, cut) = signed.place(i);
                cut_out(words[word], words[word + 1], cut)
            });
            cut.collect()
        }),
        places: (0..(bits + 1).div_ceil(width))
            .map(|i| (width * i, width))
            .collect(),
        below: power(bits) + &raised,
        exact: lowest_plus(raised),
        modulo_l: None,
    }
}

/// The lowest part of each word, and a number on top.
fn lowest_plus(number: BigInt) -> Of {
    Box::new(move |parts| whole(parts).plus(&1.into(), &Value::constant(number.clone())))
}

/// Digits that lie in one word each, with their halves, as the equation of multipliers of half the
/// size cuts them from the lowest 254 bits. All have a half.
pub(crate) fn in_words<D: Domain>(width: usize, halves: u64) -> Kernel<D> {
    let count = 256 / width;
    let added = [equation::cut_at(0, width).half]
        .repeat(count)
        .into_iter()
        .rev()
        .fold(BigInt::ZERO, |sum, half| (sum << width) + half);
    Kernel {
        name: format!("digits 254/{width}"),
        inputs: vec![vec![64], vec![64], vec![64], vec![62, 2]],
        run: Box::new(move |x| {
            let words = equation::raised([x[0], x[1], x[2], x[3]], halves);
            let digit = |bit| {
                cut_out(
                    words[bit / 64],
                    Model::splat(0),
                    equation::cut_at(bit, width),
                )
            };
            (0..count).map(|i| digit(width * i)).collect()
        }),
        places: (0..count as u32)
            .map(|i| (width as u32 * i, width as u32))
            .collect(),
        exact: lowest_plus(added),
        below: power(256),
        modulo_l: None,
    }
}

/// Whether the halves are those that are subtracted, one from each digit, and whether the last digit
/// is small enough.
pub(crate) fn check_halves(bits: u32, width: u32) -> Result<(), String> {
    let signed = SignedDigits::new(bits as usize, width as usize);
    let places = (0..signed.count()).map(|i| signed.place(i).1);
    let subtracted = places
        .zip(0..)
        .map(|(cut, i)| BigInt::from(cut.half) << (width * i));
    let raised = halves(bits, width);
    if subtracted.sum::<BigInt>() != raised {
        return Err(format!("other halves for {bits} bits and width {width}"));
    }
    let last = signed.count() as u32 - 1;
    let highest: BigInt = power(bits) - 1 + raised;
    if highest >> (width * last) > power(width - 1) {
        return Err(format!("a last digit for {bits} bits and width {width}"));
    }
    Ok(())
}

/// For each value of a cut digit, whether its sign and its magnitude are right.
pub(crate) fn check_signs() -> Result<(), String> {
    for width in WIDTHS {
        // As wide as one place, from the first bit on.
        let (_, cut) = SignedDigits::new(BITS as usize, width as usize).place(0);
        for half in [0, cut.half] {
            for raised in 0..=cut.mask {
                let cut = Cut { half, ..cut };
                let mut low = [0; 8];
                low[0] = raised;
                let digits = digits_one_by_one(&low, &[0; 8], cut, 1);
                let magnitude = digits.magnitudes[0] as i64;
                let digit = if digits.negative == 1 {
                    -magnitude
                } else {
                    magnitude
                };
                if digit != raised as i64 - half as i64 {
                    return Err(format!("the digit {raised} of width {width}"));
                }
            }
        }
    }
    Ok(())
}
