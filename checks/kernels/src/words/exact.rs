//! Words that are exact integers: polynomials with large coefficients, each between two ends.
//!
//! What the words of [`symbol`](super::symbol) are modulo 2^64, with coefficients of 128 bits, these are
//! as integers of any size: a word is from 0 to below 2^64, and a sum that wraps makes up the quotient
//! by 2^64 as it is made. That takes longer, and suffices for products of several words, for carries
//! from one word to the next, and for bits that are cut out of words.
//!
//! A quotient by 2^k, rounded down, is made up once, whatever way leads to it:
//!
//! ```text
//! (2^k·H + R) / 2^k = H + R / 2^k
//! (2^t·Q + R) / 2^k = (Q + R / 2^t) / 2^(k-t)          t < k
//! (P / 2^j + c) / 2^k = (P + 2^j·c) / 2^(j+k)
//! ```

use std::cell::RefCell;
use std::collections::HashMap;

use num_bigint::BigInt;

use super::domain::{Domain, Operand, Operation};
use super::polynomial::{Value, Variable};

/// An integer from the first to the second of these.
pub type Ends = [BigInt; 2];

/// A word, or a sum of two words: the number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact(pub u32);

#[derive(Clone, Debug)]
pub struct Term {
    pub value: Value,
    pub ends: Ends,
}

/// A quotient: the bits that were shifted out of a value, the value, and where it lies.
struct Definition {
    bits: u32,
    of: Value,
    ends: Ends,
}

/// All terms of one execution, and what is known of their variables.
#[derive(Default)]
struct Store {
    terms: Vec<Term>,
    /// Where each variable lies, by number from 1 on.
    variables: Vec<Ends>,
    quotients: HashMap<(u32, Value), Variable>,
    definitions: HashMap<Variable, Definition>,
    /// Where remainders lie, of which the ends of their variables say less.
    remainders: HashMap<Value, Ends>,
}

thread_local! {
    static STORE: RefCell<Store> = RefCell::default();
}

/// Forgets everything.
pub fn begin() {
    STORE.take();
}

/// 2^bits.
pub fn power(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

/// Any integer below 2^bits.
pub fn any_below(bits: u32) -> Value {
    if bits == 0 {
        return Value::default();
    }
    STORE.with_borrow_mut(|store| store.fresh([BigInt::ZERO, power(bits) - 1]))
}

/// Where a value lies, if its variables are independent.
pub fn ends(value: &Value) -> Ends {
    STORE.with_borrow(|store| store.ends(value))
}

impl Exact {
    /// A word with this value.
    pub fn of(value: Value) -> Self {
        STORE.with_borrow_mut(|store| {
            let ends = store.ends(&value);
            store.push(Term { value, ends })
        })
    }

    pub fn term(self) -> Term {
        STORE.with_borrow(|store| store.term(self))
    }
}

impl Operand for Exact {
    fn apply(operation: Operation, operands: &[Self]) -> Self {
        STORE.with_borrow_mut(|store| {
            let term = store.apply(operation, operands);
            store.push(term)
        })
    }
}

impl Domain for Exact {
    fn is_zero(self) -> bool {
        unreachable!("no kernel on integers asks for it")
    }

    fn is_below(self, bound: u64) -> bool {
        self.term().ends[1] < bound.into()
    }

    fn sum_is_below(self, bound: u128) -> bool {
        self.term().ends[1] < bound.into()
    }

    fn load(_: u64) -> Self {
        unreachable!("kernels on integers read no memory")
    }

    fn store(self) -> u64 {
        unreachable!("kernels on integers write no memory")
    }
}

fn constant(value: impl Into<BigInt>) -> Term {
    let value = value.into();
    Term {
        value: Value::constant(value.clone()),
        ends: [value.clone(), value],
    }
}

impl Term {
    pub fn as_constant(&self) -> Option<&BigInt> {
        let [low, high] = &self.ends;
        (low == high).then_some(low)
    }

    /// self + factor·other.
    pub fn plus(&self, factor: impl Into<BigInt>, other: &Self) -> Self {
        let factor = factor.into();
        let mut scaled = other.ends.each_ref().map(|end| &factor * end);
        scaled.sort();
        Self {
            value: self.value.plus(&factor, &other.value),
            ends: [0, 1].map(|i| &self.ends[i] + &scaled[i]),
        }
    }

    fn times_power(&self, bits: u32) -> Self {
        constant(0).plus(power(bits), self)
    }
}

fn within(a: Ends, b: &Ends) -> Ends {
    let [low, high] = a;
    let out = [low.max(b[0].clone()), high.min(b[1].clone())];
    assert!(out[0] <= out[1], "an empty interval");
    out
}

impl Store {
    fn push(&mut self, term: Term) -> Exact {
        self.terms.push(term);
        Exact(self.terms.len() as u32 - 1)
    }

    fn term(&self, word: Exact) -> Term {
        self.terms[word.0 as usize].clone()
    }

    fn fresh(&mut self, ends: Ends) -> Value {
        self.variables.push(ends);
        Value::variable(self.variables.len() as Variable)
    }

    fn ends(&self, value: &Value) -> Ends {
        let ends = value.ends(|variable| self.variables[variable as usize - 1].clone());
        match self.remainders.get(value) {
            Some(known) => within(ends, known),
            None => ends,
        }
    }

    /// A table: what each operation makes of its operands.
    fn apply(&mut self, operation: Operation, operands: &[Exact]) -> Term {
        use Operation::*;
        let terms: Vec<_> = operands.iter().map(|&word| self.term(word)).collect();
        match operation {
            Splat(word) => constant(word),
            Add => self.low_bits(&terms[0].plus(1, &terms[1]), 64),
            Sub => self.low_bits(&terms[0].plus(-1, &terms[1]), 64),
            And => self.and(&terms[0], &terms[1]),
            Or => or(&terms[0], &terms[1]),
            ShiftLeft(bits @ 0..64) => self.low_bits(&terms[0], 64 - bits).times_power(bits),
            ShiftLeft(_) => constant(0),
            ShiftRight(bits) | ShiftSumRight(bits) => self.divide(&terms[0], bits).0,
            Product => {
                let value = terms[0].value.product(&terms[1].value);
                Term {
                    value: value.expect("a product of three inputs"),
                    ends: [0, 1].map(|i| &terms[0].ends[i] * &terms[1].ends[i]),
                }
            }
            AddSums => {
                let sum = terms[0].plus(1, &terms[1]);
                assert!(sum.ends[1] < power(128), "a sum may wrap");
                sum
            }
            ToSum => terms[0].clone(),
            LowOfSum => self.low_bits(&terms[0], 64),
            Select(set) => terms[usize::from(!set)].clone(),
            _ => panic!("{operation:?} is no operation of integers"),
        }
    }

    fn and(&mut self, a: &Term, b: &Term) -> Term {
        let (word, mask) = match (a.as_constant(), b.as_constant()) {
            (_, Some(mask)) => (a, mask),
            (Some(mask), None) => (b, mask),
            (None, None) => panic!("bits that are not known where they meet"),
        };
        if let Some(word) = word.as_constant() {
            return constant(word & mask);
        }
        let bits = mask.bits() as u32;
        assert!(*mask == power(bits) - 1, "a mask with a gap");
        self.low_bits(word, bits)
    }

    /// (q, r) with term = 2^bits·q + r.
    fn divide(&mut self, term: &Term, bits: u32) -> (Term, Term) {
        let value = self.quotient(&term.value, &term.ends, bits);
        let ends = term.ends.each_ref().map(|end| end >> bits);
        let high = Term { value, ends };
        let mut low = term.plus(-power(bits), &high);
        if high.as_constant().is_none() {
            low.ends = [BigInt::ZERO, power(bits) - 1];
            self.remainders.insert(low.value.clone(), low.ends.clone());
        }
        (high, low)
    }

    fn low_bits(&mut self, term: &Term, bits: u32) -> Term {
        self.divide(term, bits).1
    }

    /// The value, between these ends, divided by 2^bits and rounded down.
    fn quotient(&mut self, value: &Value, ends: &Ends, bits: u32) -> Value {
        let shifted = ends.each_ref().map(|end| end >> bits);
        if shifted[0] == shifted[1] {
            return Value::constant(shifted[0].clone());
        }
        if bits == 0 {
            return value.clone();
        }
        let one = BigInt::from(1);
        let (whole, rest) = value.divide(bits);
        if !whole.is_zero() {
            let ends = self.ends(&rest);
            return whole.plus(&one, &self.quotient(&rest, &ends, bits));
        }
        let (c, rest) = value.without_constant();
        if let Some(t) = rest.zero_bits_of_each().filter(|&t| t > 0).max() {
            let (high, rest) = value.divide(t);
            let ends = self.ends(&rest);
            let carry = self.quotient(&rest, &ends, t);
            let sum = high.plus(&one, &carry);
            let ends = self.ends(&sum);
            return self.quotient(&sum, &ends, bits - t);
        }
        if let Some(variable) = rest.as_variable()
            && let Some(definition) = self.definitions.get(&variable)
        {
            let shift = definition.bits;
            let c = c << shift;
            let ends = definition.ends.each_ref().map(|end| end + &c);
            let sum = definition.of.plus(&one, &Value::constant(c));
            return self.quotient(&sum, &ends, shift + bits);
        }
        let key = (bits, value.clone());
        if let Some(&variable) = self.quotients.get(&key) {
            return Value::variable(variable);
        }
        let quotient = self.fresh(shifted);
        let variable = self.variables.len() as Variable;
        let definition = Definition {
            bits,
            of: value.clone(),
            ends: ends.clone(),
        };
        self.definitions.insert(variable, definition);
        self.quotients.insert(key, variable);
        quotient
    }
}

/// The "or" of two words with no bit in common: all of one below the lowest of the other.
fn or(a: &Term, b: &Term) -> Term {
    let apart = |low: &Term, high: &Term| {
        let zeros = high.value.zero_bits_of_each().min();
        zeros.is_none_or(|zeros| low.ends[1] < power(zeros))
    };
    if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
        return constant(a | b);
    }
    assert!(apart(a, b) || apart(b, a), "words with bits in common");
    a.plus(1, b)
}
