//! Words that are symbols: a polynomial over variables, and an interval that it lies in.
//!
//! **Words wrap.** A word is its polynomial modulo 2^64, and the polynomial may exceed a word: sums
//! of the bits of doubles do. A multiple of 2^64 is taken off where the operation needs the word
//! itself: for a shift to the right, a comparison, a factor. It is an error there if the interval
//! does not tell which multiple.
//!
//! **Doubles are integers** from 2^52 to 2^104, or tight limbs. For an exact result x:
//!
//! * a multiple of 2^t of at most 53 + t bits is a double: the result is x;
//! * else, for x from 2^k to 2^(k+1), with u = 2^(k-52), it is 2^k + n·u, where n is made up, and
//!   differs from x by less than u, whatever the rounding mode is. The difference is noted as a
//!   fact, since it is the low half of a product;
//! * from 2^k to 2^(k+1) on this grid, the bits of x are (1023 + k)·2^52 + (x - 2^k)/u.
//!
//! **Bounds alone.** A word may have no polynomial. Formulas on points run on such words, where
//! selections take both sides: their result contains either. In memory such a word is its upper
//! bound.

mod store;
mod term;

use std::cell::RefCell;

use self::store::Store;
pub use self::term::Term;
use super::domain::{Domain, Operand, Operation};
use super::facts::Facts;
use super::interval::Interval;
use super::polynomial::Polynomial;

/// A word: the number of a term.
#[derive(Clone, Copy, Debug)]
pub struct Symbol(u32);

/// What a selection is between two words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The one that the mask says.
    #[default]
    ByMask,
    /// Either: an interval that contains both.
    Either,
}

thread_local! {
    static STORE: RefCell<Store> = RefCell::default();
}

/// Forgets everything.
pub fn begin(selection: Selection, answer: bool) {
    STORE.set(Store {
        selection,
        answer,
        ..Store::default()
    });
}

pub fn with_facts<T>(work: impl FnOnce(&mut Facts) -> T) -> T {
    STORE.with_borrow_mut(|store| work(&mut store.facts))
}

/// The words that were compared with 0 so far.
pub fn questions() -> Vec<Vec<Polynomial>> {
    STORE.with_borrow(|store| store.questions.clone())
}

/// The highest word that was compared with this bound.
pub fn highest_below(bound: u64) -> Option<i128> {
    STORE.with_borrow(|store| store.highest.get(&bound).copied())
}

/// What a kernel makes of words in these ranges; it is computed once.
pub fn remembered(
    kernel: &'static str,
    ranges: Vec<Interval>,
    result: impl FnOnce() -> [Interval; 5],
) -> [Interval; 5] {
    let key = (kernel, ranges);
    if let Some(result) = STORE.with_borrow(|store| store.results.get(&key).copied()) {
        return result;
    }
    let result = result();
    STORE.with_borrow_mut(|store| store.results.insert(key, result));
    result
}

impl Symbol {
    /// Any word in the range, or the bits of a double with any integer in it as its value. It is
    /// the sum of one variable for each part, a factor and a range.
    pub fn input(range: Interval, parts: &[(i128, Interval)], is_double: bool) -> Self {
        STORE.with_borrow_mut(|store| {
            let parts = parts.iter().fold(Polynomial::default(), |sum, part| {
                let variable = store.facts.fresh(part.1);
                sum.plus(&part.0, &Polynomial::variable(variable))
            });
            store.push(Term {
                polynomial: Some(parts),
                range,
                is_double,
            })
        })
    }

    /// The same, of which nothing else will be known.
    pub fn within(range: Interval, is_double: bool) -> Self {
        let term = Term {
            is_double,
            ..Term::within(range)
        };
        STORE.with_borrow_mut(|store| store.push(term))
    }

    /// The word itself, which must be known to be one without wrapping.
    pub fn word(self) -> Term {
        STORE.with_borrow(|store| store.word(&store.term(self)))
    }

    pub fn value_of_double(self) -> Term {
        STORE.with_borrow(|store| store.value(&store.term(self)))
    }

    pub fn low_bits(self, bits: u32) -> Term {
        STORE.with_borrow_mut(|store| store.low_bits(&store.term(self), bits))
    }
}

impl Operand for Symbol {
    fn apply(operation: Operation, operands: &[Self]) -> Self {
        STORE.with_borrow_mut(|store| {
            let term = store.apply(operation, operands);
            store.push(term)
        })
    }
}

impl Domain for Symbol {
    fn is_zero(self) -> bool {
        STORE.with_borrow_mut(|store| {
            let word = store.word(&store.term(self));
            if let Some(polynomial) = word.polynomial {
                let parts = store.facts.parts(&polynomial);
                store.questions.push(parts);
            }
            store.answer
        })
    }

    fn is_below(self, bound: u64) -> bool {
        STORE.with_borrow_mut(|store| {
            let range = store.word(&store.term(self)).range;
            let highest = store.highest.entry(bound).or_insert(range.high);
            *highest = range.high.max(*highest);
            range.high < bound.into()
        })
    }

    fn sum_is_below(self, bound: u128) -> bool {
        STORE.with_borrow(|store| {
            let range = store.range(&store.term(self));
            range.low >= 0 && (range.high as u128) < bound
        })
    }

    fn load(word: u64) -> Self {
        Self::within(Interval::new(0, word.into()), false)
    }

    fn store(self) -> u64 {
        let high = self.word().range.high;
        u64::try_from(high).expect("a word")
    }
}
