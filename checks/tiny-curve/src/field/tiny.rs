//! GF(q) in lanes, for the q of the curve in use.
//!
//! An element is an integer below 2q, not the least residue: a formula that forgets to reduce
//! before it compares is found. Sums and differences are integers that are reduced by a carry, and
//! the carry asserts the rule of klero-lanes, "up to three products, less two": a difference
//! without its bias, or one term too many, ends the check.
//!
//! # How constants of 2^255-19 become those of the curve in use
//! Everything that enters from memory passes [`Field::from_limbs`]: constants that are splat,
//! rows, points and bytes. An integer below 2q is itself. Limbs of a known constant, as they stand in
//! `constants.rs` and in `Point::BASE`, become that constant of the curve in use; so do the inverses
//! 1/x mod 2^255-19 of small integers x, which become 1/x mod q. Any other limbs are bytes to decode,
//! and are reduced modulo q as the integer that they stand for. `put_in_use` in `curve` makes
//! the table of known limbs.
//!
//! Inversion thereby runs as it is. It computes in 2^255-19, with integers below 2q, and returns an
//! inverse that is in the table.

use klero_lanes::unstable::field::{Field, Limbs, Vector, Wide, Word, mul};
use klero_lanes::unstable::formulas::lanes::{Lanes, Single};
use klero_lanes::unstable::formulas::tables::Tables;

use super::prime::{self, residue};
use super::words::Words;
use crate::faults::{Operation, strikes};

/// Elements are below: 2q for the largest q.
const TIGHT: u64 = 2 * 173;

/// A product of two elements is at most.
const PRODUCT: u64 = (TIGHT - 1) * (TIGHT - 1);

/// A multiple of every q that is not below two products.
const BIAS: u64 = (2 * PRODUCT).next_multiple_of(109 * 173);

/// The field in lanes. Its operations are functions that are called: inlined, as those of backends
/// must be, they would take minutes to compile.
#[derive(Clone, Copy)]
pub(crate) struct Tiny<const LANES: usize>(Words<LANES>);

impl Lanes for Tiny<1> {
    type One = Self;
    type Eight = [Self; 8];
}

impl Lanes for Tiny<4> {
    type One = Tiny<1>;
    type Eight = [Self; 2];
}

impl Lanes for Tiny<8> {
    type One = Tiny<1>;
    type Eight = [Self; 1];
}

impl Single for Tiny<1> {
    fn tables() -> &'static Tables {
        static TABLES: Tables = Tables::new();
        &TABLES
    }
}

/// A sum of one limb.
fn wide<const LANES: usize>(words: Words<LANES>) -> Wide<Words<LANES>> {
    let zero = Words::splat(0);
    Wide([words, zero, zero, zero, zero])
}

fn inverted_if(condition: bool, mask: u8) -> u8 {
    if condition { !mask } else { mask }
}

impl<const LANES: usize> Tiny<LANES> {
    #[inline(never)]
    fn product(self, other: Self) -> Wide<Words<LANES>> {
        let product = self.0.zip(other.0, |a, b| a * b);
        if strikes(Operation::Product) {
            return wide(product.zip(product, |product, _| (product + 1) % PRODUCT));
        }
        wide(product)
    }

    /// All lanes.
    fn all() -> u8 {
        u8::MAX >> (8 - LANES)
    }
}

impl<const LANES: usize> Field for Tiny<LANES> {
    type Word = Words<LANES>;
    const WIDE: u64 = BIAS + 3 * PRODUCT + 1;
    const BIAS: Limbs = [BIAS, 0, 0, 0, 0];

    #[inline(always)]
    fn from_words(words: [Words<LANES>; 5]) -> Self {
        Self(words[0])
    }

    #[inline(always)]
    fn words(self) -> [Words<LANES>; 5] {
        wide(self.0).0
    }

    #[inline(never)]
    fn from_limbs(limbs: [Words<LANES>; 5]) -> Self {
        Self(Words(std::array::from_fn(|lane| {
            residue(limbs.map(|limb| limb.0[lane]))
        })))
    }

    #[inline(always)]
    fn limbs(self) -> [Words<LANES>; 5] {
        self.words()
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Wide<Words<LANES>> {
        self.product(other)
    }

    #[inline(always)]
    fn square(self) -> Wide<Words<LANES>> {
        self.product(self)
    }

    #[inline(never)]
    fn carry(wide: Wide<Words<LANES>>) -> Self {
        assert!(wide.0[0].all_below(Self::WIDE), "a sum is out of bounds");
        let (modulus, inverse) = (2 * prime::modulus(), prime::inverse());
        let reduced = |sum: u64| sum - ((sum * inverse) >> 40) * modulus;
        Self(Words(wide.0[0].0.map(reduced)))
    }

    #[inline(always)]
    fn add(a: Wide<Words<LANES>>, b: Wide<Words<LANES>>) -> Wide<Words<LANES>> {
        wide(a.0[0].add(b.0[0]))
    }

    #[inline(always)]
    fn above(a: Wide<Words<LANES>>) -> Wide<Words<LANES>> {
        wide(a.0[0].add(Words::splat(BIAS)))
    }

    #[inline(never)]
    fn difference(a: Wide<Words<LANES>>, b: Wide<Words<LANES>>) -> Wide<Words<LANES>> {
        assert!(
            b.0[0].all_below(BIAS + 1),
            "more is subtracted than the bias"
        );
        let primes = 109 * 173;
        if strikes(Operation::Sign) {
            return wide(a.0[0].zip(b.0[0], |a, b| (a + b) % primes));
        }
        if strikes(Operation::Operands) {
            return wide(a.0[0].zip(b.0[0], |a, b| (a * (primes - 1) + b) % primes));
        }
        wide(a.0[0].sub(b.0[0]))
    }

    #[inline(never)]
    fn negate_where(mask: u8, a: Wide<Words<LANES>>) -> Wide<Words<LANES>> {
        assert!(a.0[0].all_below(BIAS + 1), "more is negated than the bias");
        let mask = inverted_if(strikes(Operation::Negation), mask);
        wide(Words::subtract_where(mask, BIAS, a.0[0]))
    }

    #[inline(never)]
    fn shuffle<const ORDER: i32>(self) -> Self {
        if strikes(Operation::Shuffle) {
            return self;
        }
        Self(self.0.shuffle::<ORDER>())
    }

    #[inline(never)]
    fn shuffle_wide<const ORDER: i32>(sum: Wide<Words<LANES>>) -> Wide<Words<LANES>> {
        if strikes(Operation::Shuffle) {
            return sum;
        }
        wide(sum.0[0].shuffle::<ORDER>())
    }

    #[inline(never)]
    fn canonical(self) -> [Words<LANES>; 5] {
        let q = prime::modulus();
        let least = |value| if value < q { value } else { value - q };
        wide(Words(self.0.0.map(least))).0
    }

    #[inline(never)]
    fn is_zero(self) -> u8 {
        let mask = self.canonical()[0].is_zero();
        inverted_if(strikes(Operation::Zero), mask) & Self::all()
    }

    #[inline(never)]
    fn is_odd(self) -> u8 {
        let even = self.canonical()[0].and(Words::splat(1)).is_zero();
        inverted_if(!strikes(Operation::Odd), even) & Self::all()
    }

    #[inline(never)]
    fn select(mask: u8, set: Self, clear: Self) -> Self {
        let mask = inverted_if(strikes(Operation::Selection), mask);
        Self(Words::select(mask, set.0, clear.0))
    }

    #[inline(never)]
    fn select_wide(
        mask: u8,
        set: Wide<Words<LANES>>,
        clear: Wide<Words<LANES>>,
    ) -> Wide<Words<LANES>> {
        let mask = inverted_if(strikes(Operation::Selection), mask);
        wide(Words::select(mask, set.0[0], clear.0[0]))
    }

    /// a^((q-13)/32), of which 2^250 - 1 is the value for 2^255-19: the chains above it need no
    /// change, since both primes are 13 mod 32.
    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N] {
        a.map(|a| (1..(prime::modulus() - 13) / 32).fold(a, |power, _| mul(power, a)))
    }
}
