//! Who may lead: the rule of Cardano's node, on big integers, with each rounding by its name.
//!
//! A number here is an integer of units of 10^-34. The rule follows the Haskell of cardano-ledger,
//! function by function: `checkLeaderNatValue` of `Cardano.Protocol.TPraos.BHeader`, `ln'`, `lncf`, `cf`
//! and `taylorExpCmp` of `Cardano.Ledger.NonIntegral`, `mkActiveSlotCoeff` of `Cardano.Ledger.BaseTypes`.
//! Haskell's `Data.Fixed` rounds each result down.
//!
//! [`Rule::EXACT`] is the node's. [`Rule::exchanged`] rounds up in one place: it is a wrong rule, to
//! find inputs that show the place ([`difference`]).

use num_bigint::{BigInt, BigUint, Sign};

/// A place where the rule rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// f as a number: the subtrahend of 1 - f.
    Coefficient,
    /// The products on the way to c = ln(1 - f).
    LogProduct,
    /// The quotients on the way to c.
    LogQuotient,
    /// σ as a number.
    Stake,
    /// σ·c, which is negative, before its sign changes.
    Exponent,
    /// 1/(1 - p).
    Reciprocal,
    /// The product of the last term and x.
    TermProduct,
    /// Its quotient by the number of the term.
    TermQuotient,
}

impl Place {
    /// Each of them.
    pub const ALL: [Place; 8] = [
        Place::Coefficient,
        Place::LogProduct,
        Place::LogQuotient,
        Place::Stake,
        Place::Exponent,
        Place::Reciprocal,
        Place::TermProduct,
        Place::TermQuotient,
    ];
}

/// The ratio of two natural numbers.
pub type Ratio = (u64, u64);

/// The rule, or one that rounds up in one place.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    up: Option<Place>,
}

/// A leader value on which two rules differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where the wrong rule rounds up.
    pub place: Place,
    /// The active slots coefficient.
    pub f: Ratio,
    /// The stake of the pool, and the total.
    pub sigma: Ratio,
    /// The value.
    pub value: BigUint,
    /// Whether it leads; by the wrong rule, the opposite.
    pub leads: bool,
}

/// A value of `bits` bits whose verdict changes if the rule rounds up in one place; `None` if all
/// values keep theirs, for this f and σ.
///
/// ```
/// use klero_reference::leader::{Place, Rule, difference};
/// let found = difference(Place::Exponent, (1, 20), (1, 3), 256).unwrap();
/// let leads = |rule: Rule| rule.leads(&found.value, 256, found.sigma, found.f);
/// assert_eq!(leads(Rule::EXACT), found.leads);
/// assert_eq!(leads(Rule::exchanged(Place::Exponent)), !found.leads);
/// ```
pub fn difference(place: Place, f: Ratio, sigma: Ratio, bits: u32) -> Option<Difference> {
    let wrong = Rule::exchanged(place);
    let count = |rule: Rule| rule.count(bits, sigma, f);
    // The values that lead are those below a number: between the two numbers, verdicts differ.
    let (right, other) = (count(Rule::EXACT), count(wrong));
    (right != other).then(|| Difference {
        place,
        f,
        sigma,
        value: right.clone().min(other.clone()),
        leads: right > other,
    })
}

impl Rule {
    /// The node's.
    pub const EXACT: Rule = Rule { up: None };

    /// A wrong one, which rounds up in one place.
    pub fn exchanged(place: Place) -> Rule {
        Rule { up: Some(place) }
    }

    /// `checkLeaderNatValue`: whether a value of `bits` bits leads. A value of 2^bits is allowed, too.
    pub fn leads(self, value: &BigUint, bits: u32, sigma: Ratio, f: Ratio) -> bool {
        f.0 == f.1 || self.leads_at(value, bits, &self.exponent(sigma, f))
    }

    /// How many values of `bits` bits lead, by bisection: those below this number do.
    pub fn count(self, bits: u32, sigma: Ratio, f: Ratio) -> BigUint {
        let (mut low, mut high) = (BigUint::ZERO, BigUint::from(1u8) << bits);
        if f.0 == f.1 {
            return high;
        }
        let x = self.exponent(sigma, f);
        while low < high {
            let middle = (&low + &high) >> 1;
            if self.leads_at(&middle, bits, &x) {
                low = middle + 1u8;
            } else {
                high = middle;
            }
        }
        low
    }

    /// x = -(σ·c).
    fn exponent(self, sigma: Ratio, f: Ratio) -> BigInt {
        let sigma = self.divide(Place::Stake, one() * sigma.0, &int(sigma.1));
        -self.divide(Place::Exponent, sigma * self.log(f), &one())
    }

    /// Whether 1/(1 - p) is below exp(x).
    fn leads_at(self, value: &BigUint, bits: u32, x: &BigInt) -> bool {
        let max = BigInt::from(1) << bits;
        let rest = &max - BigInt::from(value.clone());
        let reciprocal = if rest == int(0) {
            max * one()
        } else {
            self.divide(Place::Reciprocal, max * one(), &rest)
        };
        self.below_exp(&reciprocal, x)
    }

    /// `mkActiveSlotCoeff`: ln(1 - f).
    pub fn log(self, f: Ratio) -> BigInt {
        self.ln(&(one() - self.divide(Place::Coefficient, one() * f.0, &int(f.1))))
    }

    /// `ln'`, with `splitLn`: x = e^n·(1 + rest), and ln(x) = n + ln(1 + rest).
    fn ln(self, x: &BigInt) -> BigInt {
        let e = self.e();
        let n = self.find_e(&e, x);
        let rest = self.log_quotient(x, &self.power(&e, n)) - one();
        assert!(rest >= int(0), "the node has no logarithm of {x}");
        one() * n + self.lncf(&rest)
    }

    /// `exp' 1`: the sum of 1/n!, up to the first term below epsilon.
    fn e(self) -> BigInt {
        let (mut sum, mut term, mut n) = (one(), one(), 1);
        loop {
            term = self.divide(Place::LogQuotient, term, &int(n));
            if term < epsilon() {
                return sum;
            }
            sum += &term;
            n += 1;
        }
    }

    /// `ipow`.
    fn power(self, x: &BigInt, n: i64) -> BigInt {
        if n < 0 {
            self.log_quotient(&one(), &self.power(x, -n))
        } else if n == 0 {
            one()
        } else if n % 2 == 0 {
            let root = self.power(x, n / 2);
            self.log_product(&root, &root)
        } else {
            self.log_product(x, &self.power(x, n - 1))
        }
    }

    /// `findE`, with `bound` and `contract`: n where e^n <= x < e^(n+1).
    fn find_e(self, e: &BigInt, x: &BigInt) -> i64 {
        let (mut small, mut large) = (self.log_quotient(&one(), e), e.clone());
        let (mut l, mut u) = (-1, 1);
        while *x < small || *x > large {
            small = self.log_product(&small, &small);
            large = self.log_product(&large, &large);
            l *= 2;
            u *= 2;
        }
        while u - l > 1 {
            let middle = l + (u - l) / 2;
            if *x < self.power(e, middle) {
                u = middle;
            } else {
                l = middle;
            }
        }
        l
    }

    /// `lncf` and `cf`: ln(1 + x) = x/(1 + x/(2 + x/(3 + 4x/(4 + 4x/(5 + ...))))), by the recurrence
    /// A(n) = b(n)·A(n-1) + a(n)·A(n-2), the same for B, until A(n)/B(n) moves by less than epsilon.
    fn lncf(self, x: &BigInt) -> BigInt {
        let mut a = vec![one(), int(0)];
        let mut b = vec![int(0), one()];
        let mut convergents: Vec<BigInt> = Vec::new();
        for n in 1.. {
            // a_1 = x, a_2k = a_(2k+1) = k²x
            let numerator = if n == 1 {
                x.clone()
            } else {
                x * (n / 2) * (n / 2)
            };
            for row in [&mut a, &mut b] {
                let [.., before, last] = &row[..] else {
                    unreachable!()
                };
                let next = last * n + self.log_product(&numerator, before);
                row.push(next);
            }
            let now = self.log_quotient(&a[n + 1], &b[n + 1]);
            let moved = convergents
                .last()
                .map(|last| BigInt::from((last - &now).magnitude().clone()));
            convergents.push(now.clone());
            if n == 1001 || moved.is_some_and(|moved| moved < epsilon()) {
                return now;
            }
        }
        unreachable!("the loop returns")
    }

    /// `taylorExpCmp 3`: whether `compared` is certainly below exp(x).
    fn below_exp(self, compared: &BigInt, x: &BigInt) -> bool {
        let (mut sum, mut error) = (one(), x.clone());
        for n in 0..1000 {
            sum += &error;
            let product = self.divide(Place::TermProduct, &error * x, &one());
            error = self.divide(Place::TermQuotient, product, &int(n + 2));
            let allowed: BigInt = BigInt::from(error.magnitude().clone()) * 3;
            if *compared >= &sum + &allowed {
                return false;
            }
            if *compared < &sum - &allowed {
                return true;
            }
        }
        false
    }

    fn log_product(self, a: &BigInt, b: &BigInt) -> BigInt {
        self.divide(Place::LogProduct, a * b, &one())
    }

    fn log_quotient(self, a: &BigInt, b: &BigInt) -> BigInt {
        self.divide(Place::LogQuotient, a * one(), b)
    }

    /// The quotient, rounded down, or up if this is the place.
    fn divide(self, place: Place, a: BigInt, b: &BigInt) -> BigInt {
        match self.up == Some(place) {
            true => -floor(&-a, b),
            false => floor(&a, b),
        }
    }
}

/// The greatest integer not above a/b. (Division of `BigInt` itself rounds to zero.)
fn floor(a: &BigInt, b: &BigInt) -> BigInt {
    let (quotient, rest) = (a / b, a % b);
    let negative = (rest.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    match rest.sign() != Sign::NoSign && negative {
        true => quotient - 1,
        false => quotient,
    }
}

fn int(n: impl Into<BigInt>) -> BigInt {
    n.into()
}

/// 1, in units of 10^-34.
fn one() -> BigInt {
    BigInt::from(10).pow(34)
}

/// 10^-24, where series end.
fn epsilon() -> BigInt {
    BigInt::from(10).pow(10)
}
