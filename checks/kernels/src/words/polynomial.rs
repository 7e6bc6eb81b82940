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

/// Coefficients that are not 0, in the order of their monomials.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Polynomial(Vec<(Monomial, i128)>);

/// Kernels have no such coefficient; only a mutant may.
const TOO_LARGE: &str = "a coefficient has more than 128 bits";

impl Polynomial {
    pub fn constant(value: i128) -> Self {
        let terms = [(Monomial::ONE, value)];
        Self(terms.into_iter().filter(|&(_, value)| value != 0).collect())
    }

    pub fn variable(variable: Variable) -> Self {
        Self(vec![(Monomial(0, variable), 1)])
    }

    /// self + factor·other.
    pub fn plus(&self, factor: i128, other: &Self) -> Self {
        let scaled = |c: i128| c.checked_mul(factor).expect(TOO_LARGE);
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let (monomial, value) = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(m, c)), Some(&&(n, d))) if m == n => {
                    left.next();
                    right.next();
                    (m, c.checked_add(scaled(d)).expect(TOO_LARGE))
                }
                (Some(&&(m, c)), other) if other.is_none_or(|&&(n, _)| m < n) => {
                    left.next();
                    (m, c)
                }
                (_, Some(&&(n, d))) => {
                    right.next();
                    (n, scaled(d))
                }
                (Some(_), None) => unreachable!("the arm above takes it"),
            };
            if value != 0 {
                out.push((monomial, value));
            }
        }
        Self(out)
    }

    pub fn times(&self, factor: i128) -> Self {
        Self(Vec::new()).plus(factor, self)
    }

    /// Nothing if the degree would exceed 2.
    pub fn product(&self, other: &Self) -> Option<Self> {
        let mut terms = BTreeMap::new();
        for &(m, c) in &self.0 {
            for &(n, d) in &other.0 {
                let term = terms.entry(m.times(n)?).or_insert(0i128);
                let product = c.checked_mul(d).expect(TOO_LARGE);
                *term = term.checked_add(product).expect(TOO_LARGE);
            }
        }
        Some(Self(terms.into_iter().filter(|&(_, c)| c != 0).collect()))
    }

    /// The variable, where there is nothing else.
    pub fn as_variable(&self) -> Option<Variable> {
        match self.0[..] {
            [(Monomial(0, variable), 1)] if variable > 0 => Some(variable),
            _ => None,
        }
    }

    /// The constant term, and the rest.
    pub fn without_constant(&self) -> (i128, Self) {
        match self.0.split_first() {
            Some((&(Monomial::ONE, value), rest)) => (value, Self(rest.to_vec())),
            _ => (0, self.clone()),
        }
    }

    /// The largest k for which 2^k divides each coefficient.
    pub fn zero_bits(&self) -> u32 {
        let zeros = self.0.iter().map(|(_, c)| c.trailing_zeros());
        zeros.min().unwrap_or(127)
    }

    /// What divides the coefficients, each by itself.
    pub fn zero_bits_of_each(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|(_, c)| c.trailing_zeros())
    }

    /// (Q, R) with self = 2^bits·Q + R. The coefficients of R are those that 2^bits does not divide,
    /// and the lowest bits of the constant.
    pub fn divide(&self, bits: u32) -> (Self, Self) {
        let (mut quotient, mut rest) = (Vec::new(), Vec::new());
        for &(monomial, c) in &self.0 {
            let low = c & ((1 << bits) - 1);
            let whole = low == 0 || monomial == Monomial::ONE;
            let (high, low) = if whole { (c >> bits, low) } else { (0, c) };
            if high != 0 {
                quotient.push((monomial, high));
            }
            if low != 0 {
                rest.push((monomial, low));
            }
        }
        (Self(quotient), Self(rest))
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
}

/// A polynomial with large coefficients: what the limbs of an element stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Value(BTreeMap<Monomial, BigInt>);

impl Value {
    /// Adds 2^bits·polynomial.
    pub fn add_shifted(&mut self, polynomial: &Polynomial, bits: u32) {
        for &(monomial, c) in &polynomial.0 {
            self.add_term(monomial, BigInt::from(c) << bits);
        }
    }

    fn add_term(&mut self, monomial: Monomial, c: BigInt) {
        let term = self.0.entry(monomial).or_default();
        *term += c;
        if *term == BigInt::ZERO {
            self.0.remove(&monomial);
        }
    }

    /// self + factor·other.
    pub fn plus(&self, factor: &BigInt, other: &Self) -> Self {
        let mut out = self.clone();
        for (&monomial, c) in &other.0 {
            out.add_term(monomial, factor * c);
        }
        out
    }

    /// Nothing if the degree would exceed 2.
    pub fn product(&self, other: &Self) -> Option<Self> {
        let mut out = Self::default();
        for (m, c) in &self.0 {
            for (n, d) in &other.0 {
                out.add_term(m.times(*n)?, c * d);
            }
        }
        Some(out)
    }

    /// Each coefficient from 0 to below the modulus.
    pub fn modulo(&self, modulus: &BigInt) -> Self {
        let mut out = Self::default();
        for (&monomial, c) in &self.0 {
            out.add_term(monomial, ((c % modulus) + modulus) % modulus);
        }
        out
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, where there is no variable.
    pub fn as_constant(&self) -> Option<BigInt> {
        match self.0.len() {
            0 => Some(BigInt::ZERO),
            1 => self.0.get(&Monomial::ONE).cloned(),
            _ => None,
        }
    }

    /// The coefficient of a variable by itself.
    pub fn coefficient(&self, variable: Variable) -> BigInt {
        self.0
            .get(&Monomial(0, variable))
            .cloned()
            .unwrap_or_default()
    }

    /// Every variable that occurs, in order.
    pub fn variables(&self) -> Vec<Variable> {
        let mut all: Vec<_> = self.0.keys().flat_map(|m| m.variables()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// factor·variable.
    pub fn of_variable(variable: Variable, factor: BigInt) -> Self {
        let mut out = Self::default();
        out.add_term(Monomial(0, variable), factor);
        out
    }

    pub fn constant(value: BigInt) -> Self {
        let mut out = Self::default();
        out.add_term(Monomial::ONE, value);
        out
    }

    /// The variable and the constant, where there is one variable, as itself, and nothing else.
    pub fn as_variable_and_constant(&self) -> Option<(Variable, BigInt)> {
        let mut terms: Vec<_> = self.0.iter().collect();
        let constant = match terms[..] {
            [(&Monomial::ONE, constant), _] => {
                terms.remove(0);
                constant.clone()
            }
            _ => BigInt::ZERO,
        };
        match terms[..] {
            [(&Monomial(0, variable), one)] if variable > 0 && *one == BigInt::from(1) => {
                Some((variable, constant))
            }
            _ => None,
        }
    }

    /// What divides the coefficients, each by itself; the constant counts only if it is to.
    pub fn zero_bits_of_each(&self, with_constant: bool) -> impl Iterator<Item = u64> {
        let terms = self.0.iter();
        let terms = terms.filter(move |(m, _)| with_constant || **m != Monomial::ONE);
        terms.filter_map(|(_, c)| c.trailing_zeros())
    }

    /// (Q, R) with self = 2^bits·Q + R. The coefficients of R are those that 2^bits does not divide,
    /// and the lowest bits of the constant.
    pub fn divide(&self, bits: u32) -> (Self, Self) {
        let (mut quotient, mut rest) = (Self::default(), Self::default());
        for (&monomial, c) in &self.0 {
            let high: BigInt = c >> bits;
            let low = c - (&high << bits);
            if low == BigInt::ZERO || monomial == Monomial::ONE {
                quotient.add_term(monomial, high);
                rest.add_term(monomial, low);
            } else {
                rest.add_term(monomial, c.clone());
            }
        }
        (quotient, rest)
    }

    /// The least and the greatest value, if each variable lies where `of` says, independently of the
    /// others.
    pub fn ends(&self, of: impl Fn(Variable) -> [BigInt; 2]) -> [BigInt; 2] {
        let mut sum = [BigInt::ZERO, BigInt::ZERO];
        for (monomial, c) in &self.0 {
            let mut term = [c.clone(), c.clone()];
            for variable in monomial.variables() {
                let ends = of(variable);
                let all = [0, 1].map(|i| [0, 1].map(|j| &term[i] * &ends[j]));
                let all = all.as_flattened();
                term = [
                    all.iter().min().expect("four").clone(),
                    all.iter().max().expect("four").clone(),
                ];
            }
            sum = [&sum[0] + &term[0], &sum[1] + &term[1]];
        }
        sum
    }
}
