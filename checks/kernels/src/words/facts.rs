//! What is known of variables: where each lies, and what it stands for.
//!
//! A variable is an input, or it is made up for a result that is no polynomial in the inputs. The
//! main one is the quotient of a division by a power of 2. With x = 2^k·q + r, q is made up, and r
//! needs no variable: it is x - 2^k·q, from 0 to below 2^k. A shift and a mask of the same x share
//! q, and so do the two halves of one product.

use std::collections::HashMap;

use super::interval::Interval;
use super::polynomial::{Polynomial, Variable};

#[derive(Default)]
pub struct Facts {
    /// Where each variable lies, by number. Number 0 stands for none.
    ranges: Vec<Interval>,
    /// The variable that stands for a polynomial divided by 2^k, rounded down.
    quotients: HashMap<(u32, Polynomial), Variable>,
    /// Where polynomials lie that intervals alone know less of.
    known: HashMap<Polynomial, Interval>,
    /// The words that a variable is the bitwise "or" of.
    joined: HashMap<Variable, Vec<Polynomial>>,
}

impl Facts {
    pub fn fresh(&mut self, range: Interval) -> Variable {
        if self.ranges.is_empty() {
            self.ranges.push(Interval::point(0));
        }
        self.ranges.push(range);
        self.ranges.len() as Variable - 1
    }

    /// Where the polynomial lies, given an interval that it lies in.
    pub fn range(&self, polynomial: &Polynomial, given: Interval) -> Interval {
        let mut range = given;
        if let Some(of_terms) = polynomial.range(&self.ranges) {
            range = range.intersect(of_terms);
        }
        if !self.known.is_empty() {
            let (constant, rest) = polynomial.without_constant();
            let known = self.known.get(&rest);
            if let Some(known) = known.and_then(|k| k.add(Interval::point(constant))) {
                range = range.intersect(known);
            }
        }
        range
    }

    /// Notes where a polynomial lies.
    pub fn note(&mut self, polynomial: &Polynomial, range: Interval) {
        let (constant, rest) = polynomial.without_constant();
        let range = range.sub(Interval::point(constant));
        self.known.insert(rest, range.expect("small integers"));
    }

    /// The polynomial divided by 2^bits, rounded down. It lies in `range`.
    pub fn quotient(&mut self, polynomial: &Polynomial, range: Interval, bits: u32) -> Polynomial {
        let shifted = range.shift_right(bits);
        if shifted.low == shifted.high {
            return Polynomial::constant(shifted.low);
        }
        if bits == 0 {
            return polynomial.clone();
        }
        // 2^t·Q + R, where R is from 0 to below 2^t: then only Q matters.
        let each = polynomial.zero_bits_of_each();
        let mut divisors: Vec<_> = each.map(|t| t.min(bits)).filter(|&t| t > 0).collect();
        divisors.sort_unstable();
        divisors.dedup();
        for t in divisors.into_iter().rev() {
            let (quotient, rest) = polynomial.divide(t);
            let Some(of_rest) = rest.range(&self.ranges) else {
                continue;
            };
            if of_rest.is_within(Interval::new(0, (1 << t) - 1)) {
                let whole = range.sub(of_rest).expect("small integers");
                let mut whole = Interval::new(-(-whole.low >> t), whole.high >> t);
                if let Some(of_terms) = quotient.range(&self.ranges) {
                    whole = whole.intersect(of_terms);
                }
                return self.quotient(&quotient, whole, bits - t);
            }
        }
        let key = (bits, polynomial.clone());
        if let Some(&variable) = self.quotients.get(&key) {
            return Polynomial::variable(variable);
        }
        let variable = self.fresh(shifted);
        self.quotients.insert(key, variable);
        Polynomial::variable(variable)
    }

    /// (bits, P) where the variable stands for P divided by 2^bits, rounded down.
    pub fn definition(&self, variable: Variable) -> Option<&(u32, Polynomial)> {
        let mut quotients = self.quotients.iter();
        let found = quotients.find(|(_, of)| **of == variable);
        found.map(|(definition, _)| definition)
    }

    /// Notes that a variable is the "or" of these words.
    pub fn note_joined(&mut self, variable: Variable, words: Vec<Polynomial>) {
        self.joined.insert(variable, words);
    }

    /// The words whose "or" this is; at least itself.
    pub fn parts(&self, polynomial: &Polynomial) -> Vec<Polynomial> {
        let variable = polynomial.as_variable();
        let parts = variable.and_then(|variable| self.joined.get(&variable));
        parts.cloned().unwrap_or_else(|| vec![polynomial.clone()])
    }
}
