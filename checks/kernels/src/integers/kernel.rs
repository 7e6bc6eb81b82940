//! A kernel on integers, and the integers that its words stand for.

use klero_lanes::order::L;
use num_bigint::BigInt;

use crate::field::model::Model;
use crate::words::exact::power;
use crate::words::polynomial::Value;

/// A function of the words that a kernel reads.
pub(crate) type Run<D> = Box<dyn Fn(&[Model<D>]) -> Vec<Model<D>>>;

/// A polynomial in the parts of the words that a kernel reads.
pub(crate) type Of = Box<dyn Fn(&[Vec<Value>]) -> Value>;

/// A kernel on words of a domain.
pub(crate) struct Kernel<D> {
    pub name: String,
    /// For each word that it reads, the bits of its parts, the lowest first.
    pub inputs: Vec<Vec<u32>>,
    pub run: Run<D>,
    /// Where each word of the result stands in it, and how many bits it has.
    pub places: Vec<(u32, u32)>,
    /// The result.
    pub exact: Of,
    /// A bound: the result is below.
    pub below: BigInt,
    /// The claimed residue of the result modulo L, if there is one.
    pub modulo_l: Option<Of>,
}

/// The order L of the base point.
pub(crate) fn order() -> BigInt {
    integer(&L)
}

/// Words as an integer.
pub(crate) fn integer(words: &[u64]) -> BigInt {
    let words = words.iter().rev();
    words.fold(BigInt::ZERO, |sum, &word| (sum << 64) + word)
}

/// The first bit of each part.
fn offsets(parts: &[u32]) -> impl Iterator<Item = u32> {
    parts.iter().scan(0, |at, bits| {
        *at += bits;
        Some(*at - bits)
    })
}

/// The word with these parts, whose lengths are `bits`.
pub(crate) fn word(parts: &[Value], bits: &[u32]) -> Value {
    let shifted = parts.iter().zip(offsets(bits));
    shifted.fold(Value::default(), |sum, (part, at)| {
        sum.plus(&power(at), part)
    })
}

/// Words at these distances as one integer.
pub(crate) fn joined(words: impl IntoIterator<Item = Value>, apart: u32) -> Value {
    let words = words.into_iter().zip(0..);
    words.fold(Value::default(), |sum, (word, i)| {
        sum.plus(&power(apart * i), &word)
    })
}

/// The integer of some words, from the first part of each.
pub(crate) fn whole(parts: &[Vec<Value>]) -> Value {
    joined(parts.iter().map(|parts| parts[0].clone()), 64)
}
