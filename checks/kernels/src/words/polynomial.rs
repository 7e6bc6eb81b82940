//! Polynomials of degree 2 at most, with integer coefficients, over numbered variables.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::interval::Interval;

/// A variable's number. They begin at 1.
pub type Variable = u32;

/// The product of two variables, in order; 0 stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Monomial(Variable, Variable);

impl Monomial {
    const ONE: Self = Self(0, 0);

    /// Nothing if the product has more than two variables.
    fn times(self, other: Self) -> Option<Self> {
        let mut all = [self.0, self.1, other.0, other.1];
        all.sort_unstable();
        let [0, 0, first, second] = all else {
            return None;
        };
        Some(Self(first, second))
    }

    pub fn variables(self) -> impl Iterator<Item = Variable> {
        [self.0, self.1]
            .into_iter()
            .filter(|&variable| variable > 0)
    }
}

pub trait Coefficient: Clone + Default + Eq + From<i32> {
    /// self + factor·other.
    fn plus(&self, factor: &Self, other: &Self) -> Self;

    /// (q, r) with self = 2^bits·q + r, r from 0 to below 2^bits.
    fn divide(&self, bits: u32) -> (Self, Self);

    /// The largest k for which 2^k divides it; nothing for 0.
    fn zero_bits(&self) -> Option<u32>;
}

impl Coefficient for i128 {
    /// # Panics
    /// If a sum has more than 128 bits. Kernels have no such coefficient; only a mutant may.
    fn plus(&self, factor: &Self, other: &Self) -> Self {
        let scaled = other.checked_mul(*factor);
        let sum = scaled.and_then(|scaled| self.checked_add(scaled));
        sum.expect("a coefficient has more than 128 bits")
    }

    fn divide(&self, bits: u32) -> (Self, Self) {
        let high = self >> bits;
        (high, self - (high << bits))
    }

    fn zero_bits(&self) -> Option<u32> {
        (*self != 0).then(|| self.trailing_zeros())
    }
}

impl Coefficient for BigInt {
    fn plus(&self, factor: &Self, other: &Self) -> Self {
        self + factor * other
    }

    fn divide(&self, bits: u32) -> (Self, Self) {
        let high: Self = self >> bits;
        let low = self - (&high << bits);
        (high, low)
    }

    fn zero_bits(&self) -> Option<u32> {
        self.trailing_zeros().map(|bits| bits as u32)
    }
}

/// Coefficients that are not 0, in the order of their monomials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Terms<C>(Vec<(Monomial, C)>);

/// A polynomial that a word is.
pub type Polynomial = Terms<i128>;

/// A polynomial with large coefficients: what the limbs of an element stand for.
pub type Value = Terms<BigInt>;

impl<C: Coefficient> Terms<C> {
    fn of(terms: impl IntoIterator<Item = (Monomial, C)>) -> Self {
        let terms = terms.into_iter().filter(|(_, c)| *c != C::default());
        Self(terms.collect())
    }

    pub fn constant(value: C) -> Self {
        Self::of([(Monomial::ONE, value)])
    }

    pub fn variable(variable: Variable) -> Self {
        Self::of_variable(variable, 1.into())
    }

    /// factor·variable.
    pub fn of_variable(variable: Variable, factor: C) -> Self {
        Self::of([(Monomial(0, variable), factor)])
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// self + factor·other.
    pub fn plus(&self, factor: &C, other: &Self) -> Self {
        let zero = C::default();
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let (monomial, value) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some((m, c)), Some((n, d))) if m == n => {
                    left.next();
                    right.next();
                    (*m, c.plus(factor, d))
                }
                (Some((m, c)), other) if other.is_none_or(|(n, _)| m < n) => {
                    left.next();
                    (*m, c.clone())
                }
                (_, Some((n, d))) => {
                    right.next();
                    (*n, zero.plus(factor, d))
                }
                (Some(_), None) => unreachable!("the arm above takes it"),
            };
            if value != zero {
                out.push((monomial, value));
            }
        }
        Self(out)
    }

    /// Nothing if the degree would exceed 2.
    pub fn product(&self, other: &Self) -> Option<Self> {
        let mut terms = BTreeMap::new();
        for (m, c) in &self.0 {
            for (n, d) in &other.0 {
                let term: &mut C = terms.entry(m.times(*n)?).or_default();
                *term = term.plus(c, d);
            }
        }
        Some(Self::of(terms))
    }

    /// The variable, where there is nothing else.
    pub fn as_variable(&self) -> Option<Variable> {
        match &self.0[..] {
            [(Monomial(0, variable), one)] if *variable > 0 && *one == 1.into() => Some(*variable),
            _ => None,
        }
    }

    /// The value, where there is no variable.
    pub fn as_constant(&self) -> Option<C> {
        let (value, rest) = self.without_constant();
        rest.is_zero().then_some(value)
    }

    /// The constant term, and the rest.
    pub fn without_constant(&self) -> (C, Self) {
        match self.0.split_first() {
            Some(((Monomial::ONE, value), rest)) => (value.clone(), Self(rest.to_vec())),
            _ => (C::default(), self.clone()),
        }
    }

    /// The powers of 2 that divide the coefficients, each by itself.
    pub fn zero_bits_of_each(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter_map(|(_, c)| c.zero_bits())
    }

    /// (Q, R) with self = 2^bits·Q + R. The coefficients of R are those that 2^bits does not divide,
    /// and the lowest bits of the constant.
    pub fn divide(&self, bits: u32) -> (Self, Self) {
        let divided = self.0.iter().map(|(monomial, c)| {
            let (high, low) = match c.divide(bits) {
                (_, low) if low != C::default() && *monomial != Monomial::ONE => {
                    (C::default(), c.clone())
                }
                whole => whole,
            };
            ((*monomial, high), (*monomial, low))
        });
        let (quotient, rest): (Vec<_>, Vec<_>) = divided.unzip();
        (Self::of(quotient), Self::of(rest))
    }
}

impl Polynomial {
    pub fn times(&self, factor: i128) -> Self {
        Self::default().plus(&factor, self)
    }

    /// The largest k for which 2^k divides each coefficient.
    pub fn zero_bits(&self) -> u32 {
        self.zero_bits_of_each().min().unwrap_or(127)
    }

    /// Where the value lies, if each variable lies where `of` says, independently of the others.
    pub fn range(&self, of: &[Interval]) -> Option<Interval> {
        let mut sum = Interval::point(0);
        for &(monomial, c) in &self.0 {
            let mut term = Interval::point(c);
            for variable in monomial.variables() {
                term = term.product(of[variable as usize])?;
            }
            sum = sum.add(term)?;
        }
        Some(sum)
    }

    /// The same with large coefficients.
    pub fn to_value(&self) -> Value {
        Value::of(self.0.iter().map(|&(monomial, c)| (monomial, c.into())))
    }
}

impl Value {
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&(-1).into(), other)
    }

    /// Each coefficient from 0 to below the modulus.
    pub fn modulo(&self, modulus: &BigInt) -> Self {
        let terms = self.0.iter();
        Self::of(terms.map(|(monomial, c)| (*monomial, ((c % modulus) + modulus) % modulus)))
    }

    /// The coefficient of a variable by itself.
    pub fn coefficient(&self, variable: Variable) -> BigInt {
        let mut terms = self.0.iter();
        let found = terms.find(|(monomial, _)| *monomial == Monomial(0, variable));
        found.map(|(_, c)| c.clone()).unwrap_or_default()
    }

    /// Every variable that occurs, in order.
    pub fn variables(&self) -> Vec<Variable> {
        let mut all: Vec<_> = self.0.iter().flat_map(|(m, _)| m.variables()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The least and the greatest value, if each variable lies where `of` says, independently of the
    /// others.
    pub fn ends(&self, of: impl Fn(Variable) -> [BigInt; 2]) -> [BigInt; 2] {
        let mut sum = [BigInt::ZERO, BigInt::ZERO];
        for (monomial, c) in &self.0 {
            let mut term = [c.clone(), c.clone()];
            for variable in monomial.variables() {
                let ends = of(variable);
                let mut all = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| &term[i] * &ends[j]);
                all.sort_unstable();
                let [least, _, _, greatest] = all;
                term = [least, greatest];
            }
            sum = [&sum[0] + &term[0], &sum[1] + &term[1]];
        }
        sum
    }
}
