//! All terms of one execution, and what operations make of them.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::super::domain::Operation;
use super::super::facts::Facts;
use super::super::interval::Interval;
use super::super::polynomial::Polynomial;
use super::term::{TOO_LARGE, Term};
use super::{Selection, Symbol};

/// All terms of one execution, and what is known of their variables.
#[derive(Default)]
pub(super) struct Store {
    pub(super) terms: Vec<Rc<Term>>,
    pub(super) facts: Facts,
    pub(super) selection: Selection,
    /// What comparisons with 0 answer.
    pub(super) answer: bool,
    /// The words that were compared with 0, each as the words whose "or" it is.
    pub(super) questions: Vec<Vec<Polynomial>>,
    /// The highest end of a word's interval that was compared with each bound.
    pub(super) highest: BTreeMap<u64, i128>,
    /// What kernels made of bounds alone.
    pub(super) results: HashMap<(&'static str, Vec<Interval>), [Interval; 5]>,
}

/// All words.
const WORD: Interval = Interval::new(0, u64::MAX as i128);

impl Store {
    /// A table: what each operation makes of its operands.
    pub(super) fn apply(&mut self, operation: Operation, operands: &[Symbol]) -> Term {
        use Operation::*;
        let terms: Vec<_> = operands.iter().map(|&symbol| self.term(symbol)).collect();
        // Whole words as integers, doubles as values.
        let bits = |store: &Self, i: usize| store.bits(&terms[i]);
        let value = |store: &Self, i: usize| store.value(&terms[i]);
        match operation {
            Splat(word) => Term::constant(word.into()),
            Add => bits(self, 0).plus(1, &bits(self, 1)),
            Sub => bits(self, 0).plus(-1, &bits(self, 1)),
            And => self.and(&terms[0], &terms[1]),
            Or => self.or(&terms[0], &terms[1]),
            ShiftLeft(count) => bits(self, 0).times(1 << count),
            ShiftRight(count) => {
                let word = self.word(&terms[0]);
                self.split(&word, count).0
            }
            Mul32 => {
                let [a, b] = [0, 1].map(|i| self.low_bits(&terms[i], 32));
                self.product(&a, &b)
            }
            Times(by) => bits(self, 0).times(by.into()),
            Low52 => {
                let (_, low) = self.product52(&terms[1], &terms[2]);
                bits(self, 0).plus(1, &low)
            }
            High52 => {
                let (high, _) = self.product52(&terms[1], &terms[2]);
                bits(self, 0).plus(1, &high)
            }
            DoubleMulAdd => {
                let (a, b, c) = (value(self, 0), value(self, 1), value(self, 2));
                let sum = self.product(&a, &b).plus(1, &c);
                self.round(sum)
            }
            DoubleAdd => {
                let sum = value(self, 0).plus(1, &value(self, 1));
                self.round(sum)
            }
            DoubleSub => {
                let difference = value(self, 0).plus(-1, &value(self, 1));
                self.round(difference)
            }
            Product => {
                let (a, b) = (self.word(&terms[0]), self.word(&terms[1]));
                self.product(&a, &b)
            }
            AddSums => terms[0].plus(1, &terms[1]),
            ShiftSumRight(count) => {
                let range = self.range(&terms[0]);
                assert!(range.low >= 0, "a sum may wrap");
                self.split(&terms[0], count).0
            }
            ToSum => self.word(&terms[0]),
            // A word is known modulo 2^64 anyway.
            LowOfSum => terms[0].as_ref().clone(),
            Select(set) => self.select(set, terms[0].as_ref().clone(), terms[1].as_ref().clone()),
            AddWhere(set) => {
                let (a, b) = (bits(self, 0), bits(self, 1));
                self.select(set, a.plus(1, &b), a)
            }
            SubtractWhere(set, from) => {
                let a = bits(self, 0);
                self.select(set, Term::constant(from.into()).plus(-1, &a), a)
            }
            Move(_) => unreachable!("one word has one lane"),
        }
    }

    pub(super) fn push(&mut self, term: Term) -> Symbol {
        self.terms.push(Rc::new(term));
        Symbol(self.terms.len() as u32 - 1)
    }

    pub(super) fn term(&self, symbol: Symbol) -> Rc<Term> {
        self.terms[symbol.0 as usize].clone()
    }

    /// All that is known of where a term lies.
    pub(super) fn range(&self, term: &Term) -> Interval {
        match &term.polynomial {
            Some(polynomial) => self.facts.range(polynomial, term.range),
            None => term.range,
        }
    }

    /// A word in a range, of which nothing else is known.
    pub(super) fn unknown(&mut self, range: Interval) -> Term {
        let variable = self.facts.fresh(range);
        Term::new(Some(Polynomial::variable(variable)), range)
    }

    /// The word itself: less the multiple of 2^64 by which the polynomial exceeds it.
    pub(super) fn word(&self, term: &Term) -> Term {
        let bits = self.bits(term);
        let range = self.range(&bits);
        let mut word = bits.plus_constant(-(range.low >> 64 << 64));
        word.range = range
            .add(Interval::point(-(range.low >> 64 << 64)))
            .expect(TOO_LARGE);
        assert!(word.range.is_within(WORD), "a word may wrap");
        word
    }

    /// The bits of a double, as an integer.
    pub(super) fn bits(&self, term: &Term) -> Term {
        if !term.is_double {
            return term.clone();
        }
        let range = self.range(term);
        if range == Interval::point(0) {
            return Term::constant(0);
        }
        assert!(range.low >= 1 << 52, "the bits of a double of unknown size");
        let k = range.low.ilog2();
        let grid = k - 52;
        assert!(range.high <= 2 << k, "the bits of a double of unknown size");
        let mantissa = term.plus_constant(-1 << k);
        let divisible = match &mantissa.polynomial {
            Some(polynomial) => polynomial.zero_bits() >= grid,
            None => grid == 0,
        };
        assert!(divisible, "the bits of a double off its grid");
        let above = range.add(Interval::point(-1 << k)).expect(TOO_LARGE);
        let polynomial = mantissa.polynomial.map(|p| p.divide(grid).0);
        let bits = Term::new(polynomial, above.shift_right(grid));
        bits.plus_constant((1023 + i128::from(k)) << 52)
    }

    /// The value of a double, an integer.
    pub(super) fn value(&self, term: &Term) -> Term {
        if term.is_double {
            return term.clone();
        }
        let bits = self.word(term);
        if bits.as_constant() == Some(0) {
            return bits;
        }
        let k = (bits.range.low >> 52) - 1023;
        assert!((52..=110).contains(&k), "a double of unexpected size");
        let base = (1023 + k) << 52;
        assert!(
            bits.range.high <= base + (1 << 52),
            "a double of unknown size"
        );
        let mantissa = bits.plus_constant(-base);
        mantissa.times(1 << (k - 52)).plus_constant(1 << k)
    }

    /// The double that an exact result is rounded to.
    pub(super) fn round(&mut self, exact: Term) -> Term {
        let range = self.range(&exact);
        let polynomial = exact.polynomial.as_ref();
        let zero_bits = polynomial.map_or(0, |p| p.zero_bits()).min(60);
        let largest = range.low.abs().max(range.high.abs());
        if largest <= 1 << (53 + zero_bits) {
            return Term { range, ..exact }.into_double();
        }
        assert!(range.low >= 1 << 53, "a rounded double of unknown size");
        let k = range.low.ilog2();
        assert!(range.high <= 2 << k, "a rounded double of unknown size");
        let unit = 1 << (k - 52);
        let above = range.add(Interval::point(-1 << k)).expect(TOO_LARGE);
        let mantissa = Interval::new(above.low >> (k - 52), -(-above.high >> (k - 52)));
        let mantissa = match exact.polynomial {
            Some(_) => self.unknown(mantissa),
            None => Term::within(mantissa),
        };
        let rounded = mantissa.times(unit).plus_constant(1 << k);
        if let Some(rest) = exact.plus(-1, &rounded).polynomial {
            self.facts.note(&rest, Interval::new(1 - unit, unit - 1));
        }
        rounded.into_double()
    }

    /// (q, r) with term = 2^bits·q + r.
    pub(super) fn split(&mut self, term: &Term, bits: u32) -> (Term, Term) {
        let range = self.range(term);
        let polynomial = term.polynomial.as_ref();
        let quotient = polynomial.map(|polynomial| self.facts.quotient(polynomial, range, bits));
        let high = Term::new(quotient, range.shift_right(bits));
        let mut low = term.plus(-1 << bits, &high);
        low.range = match high.as_constant() {
            Some(high) => range.add(Interval::point(-high << bits)).expect(TOO_LARGE),
            None => Interval::new(0, (1 << bits) - 1),
        };
        (high, low)
    }

    pub(super) fn low_bits(&mut self, term: &Term, bits: u32) -> Term {
        let bits_of = self.bits(term);
        // The low bits are those of the polynomial, but a shift divides the word: both should
        // speak of one quotient.
        let range = self.range(&bits_of);
        let wrapped = range.low >> 64 << 64;
        let term = bits_of.plus_constant(-wrapped);
        self.split(&term, bits).1
    }

    pub(super) fn product(&mut self, a: &Term, b: &Term) -> Term {
        let range = self.range(a).product(self.range(b)).expect(TOO_LARGE);
        match (&a.polynomial, &b.polynomial) {
            (Some(a), Some(b)) => match a.product(b) {
                Some(polynomial) => Term::new(Some(polynomial), range),
                None => self.unknown(range),
            },
            _ => Term::within(range),
        }
    }

    /// The product of the low 52 bits of two words, in two halves: high and low.
    pub(super) fn product52(&mut self, a: &Term, b: &Term) -> (Term, Term) {
        let (a, b) = (self.low_bits(a, 52), self.low_bits(b, 52));
        let product = self.product(&a, &b);
        self.split(&product, 52)
    }

    pub(super) fn and(&mut self, a: &Term, b: &Term) -> Term {
        let (word, mask) = match (a.as_constant(), b.as_constant()) {
            (_, Some(mask)) => (a, Some(mask)),
            (Some(mask), None) => (b, Some(mask)),
            (None, None) => (a, None),
        };
        if let Some(mask) = mask.filter(|mask| (mask + 1) & mask == 0) {
            return match (mask + 1).ilog2() {
                64 => word.clone(),
                bits => self.low_bits(word, bits),
            };
        }
        let highest = |store: &Self, term: &Term| store.word(term).range.high;
        let high = highest(self, a).min(highest(self, b));
        self.unknown_of_two(a, b, Interval::new(0, high))
    }

    /// A word in this range: with a polynomial if both operands have one.
    pub(super) fn unknown_of_two(&mut self, a: &Term, b: &Term, range: Interval) -> Term {
        if a.polynomial.is_none() || b.polynomial.is_none() {
            return Term::within(range);
        }
        self.unknown(range)
    }

    pub(super) fn or(&mut self, a: &Term, b: &Term) -> Term {
        let (a, b) = (self.word(a), self.word(b));
        // No bit in common: all of one below the lowest of the other.
        let apart = |low: &Term, high: &Term| {
            let zeros = high.polynomial.as_ref().map_or(0, |p| p.zero_bits());
            low.range.high < 1 << zeros.min(64)
        };
        if apart(&a, &b) || apart(&b, &a) {
            return a.plus(1, &b);
        }
        let low = a.range.low.max(b.range.low);
        let highest = a.range.high.max(b.range.high);
        let high = (1 << (highest.max(1).ilog2() + 1)) - 1;
        let out = self.unknown_of_two(&a, &b, Interval::new(low, high));
        if let (Some(out), Some(a), Some(b)) = (&out.polynomial, &a.polynomial, &b.polynomial) {
            let parts = [self.facts.parts(a), self.facts.parts(b)].concat();
            let variable = out.as_variable().expect("made up for this");
            self.facts.note_joined(variable, parts);
        }
        out
    }

    /// The first where the bit is set, else the second; or what contains both.
    pub(super) fn select(&self, set: bool, a: Term, b: Term) -> Term {
        match self.selection {
            Selection::ByMask if set => a,
            Selection::ByMask => b,
            Selection::Either => {
                let (a, b) = match a.is_double == b.is_double {
                    true => (a, b),
                    false => (self.bits(&a), self.bits(&b)),
                };
                Term {
                    polynomial: None,
                    range: self.range(&a).hull(self.range(&b)),
                    is_double: a.is_double,
                }
            }
        }
    }
}
