//! A fault that looks like an optimisation: a square on the 52-bit multiplier that doubles operands
//! in place of columns.
//!
//! Twice a limb below 2^51 has 52 bits, so the multiplier reads all of it. Twice a *tight* limb may
//! have 53. No random element shows that: one limb in 2^19 at most exceeds 2^51 after a carry.

use std::array::from_fn;

use klero_lanes::unstable::field::Word;
use klero_lanes::unstable::field::ifma::columns;
use klero_lanes::unstable::field::word::Madd52;

use super::backends::Reading;
use super::kernels::{Claim, Kernel, Output, Place};
use super::model::Multiplier;
use crate::words::interval::Interval;
use crate::words::symbol::Symbol;

fn square<M: Madd52>(a: [M::Word; 5]) -> [M::Word; 5] {
    let twice = a.map(|limb| limb.add(limb));
    let mut z = columns::<M::Word>([0; 5]);
    for i in 0..5 {
        for j in i + 1..5 {
            z[i + j + 1] = M::high(z[i + j + 1], twice[i], a[j]);
        }
        z[2 * i + 1] = M::high(z[2 * i + 1], a[i], a[i]);
    }
    for column in &mut z[1..] {
        *column = column.add(*column);
    }
    for i in 0..5 {
        for j in i + 1..5 {
            z[i + j] = M::low(z[i + j], twice[i], a[j]);
        }
        z[2 * i] = M::low(z[2 * i], a[i], a[i]);
    }
    from_fn(|i| z[i].add(M::times_19(z[i + 5])))
}

/// The faulty square, of limbs below a bound.
pub(crate) fn faulty_square(bound: u64) -> Kernel<Symbol> {
    Kernel {
        name: "square",
        inputs: vec![Place {
            reading: Reading::Limbs(51),
            ranges: [Interval::below(bound); 5],
            halves: false,
        }],
        run: Box::new(|x| Output::Words(square::<Multiplier<Symbol, true>>(x[0]))),
        claim: Claim::Square,
        output: Reading::Limbs(51),
        bounds: [Interval::below(1 << 63); 5],
    }
}
