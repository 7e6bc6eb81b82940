//! The integer that five words stand for, and p.

use num_bigint::BigInt;

use crate::field::backends::Reading;
use crate::field::kernels::Words;
use crate::words::interval::Interval;
use crate::words::polynomial::{Polynomial, Value};
use crate::words::symbol::{Symbol, Term};

/// 2^255 - 19.
pub fn p() -> BigInt {
    (BigInt::from(1) << 255) - 19
}

/// A number by its logarithm, or as a power of 2 and a little more.
pub fn by_logarithm(value: i128) -> String {
    let k = value.max(1).ilog2();
    let rest = value - (1 << k);
    match rest {
        0 => format!("2^{k}"),
        1.. if rest < (1 << k) >> 12 => format!("2^{k} + {rest}"),
        _ => format!("2^{:.2}", (value as f64).log2()),
    }
}

/// Five words as an integer.
pub struct Read {
    pub value: Value,
    /// Where each word lies, or its value as a double.
    pub ranges: [Interval; 5],
}

pub fn polynomial(term: Term) -> Polynomial {
    term.polynomial.expect("all inputs are known")
}

pub fn read(reading: Reading, words: Words<Symbol>) -> Read {
    let mut value = Value::default();
    let mut ranges = [Interval::point(0); 5];
    for (i, word) in words.into_iter().enumerate() {
        let term = match reading {
            Reading::Doubles => word.0.value_of_double(),
            Reading::Dirty if i < 4 => word.0.low_bits(52),
            _ => word.0.word(),
        };
        ranges[i] = term.range;
        let place = BigInt::from(1) << (reading.radix() * i as u32);
        value = value.plus(&place, &polynomial(term).to_value());
    }
    Read { value, ranges }
}
