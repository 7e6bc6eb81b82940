//! Words of one lane over any [`Domain`], with the operations that kernels are written over.

use core::marker::PhantomData;

use klero_lanes::unstable::field::columns64::{self, Columns64};
use klero_lanes::unstable::field::columns128::{self, Columns128};
use klero_lanes::unstable::field::fma::{self, Doubles, Place};
use klero_lanes::unstable::field::multiply::Multiply;
use klero_lanes::unstable::field::word::{Fma, Madd52, OneWord, Vector, Wide128, Word};
use klero_lanes::unstable::field::{Field, Limbs, ifma, limbs, powers};

use crate::words::domain::{Domain, Operation};
use crate::words::execution::apply;

/// A word of a domain.
#[derive(Clone, Copy)]
pub(crate) struct Model<D>(pub(crate) D);

impl<D: Domain> Model<D> {
    fn unary(self, operation: Operation) -> Self {
        Self(apply(operation, &[self.0]))
    }

    fn binary(self, operation: Operation, other: Self) -> Self {
        Self(apply(operation, &[self.0, other.0]))
    }

    fn ternary(operation: Operation, a: Self, b: Self, c: Self) -> Self {
        Self(apply(operation, &[a.0, b.0, c.0]))
    }
}

impl<D: Domain> Word for Model<D> {
    const LANES: usize = 1;

    /// The assertions of the source are part of what is checked.
    const CHECKED: bool = true;

    fn splat(word: u64) -> Self {
        Self(apply(Operation::Splat(word), &[]))
    }

    fn add(self, other: Self) -> Self {
        self.binary(Operation::Add, other)
    }

    fn sub(self, other: Self) -> Self {
        self.binary(Operation::Sub, other)
    }

    fn and(self, other: Self) -> Self {
        self.binary(Operation::And, other)
    }

    fn or(self, other: Self) -> Self {
        self.binary(Operation::Or, other)
    }

    fn shift_left<const BITS: i32>(self) -> Self {
        self.unary(Operation::ShiftLeft(BITS as u32))
    }

    fn shift_right<const BITS: i32>(self) -> Self {
        self.unary(Operation::ShiftRight(BITS as u32))
    }

    fn mul32(self, other: Self) -> Self {
        self.binary(Operation::Mul32, other)
    }

    fn select(mask: u8, set: Self, clear: Self) -> Self {
        set.binary(Operation::Select(mask & 1 == 1), clear)
    }

    fn is_zero(self) -> u8 {
        self.0.is_zero().into()
    }

    fn all_below(&self, bound: u64) -> bool {
        self.0.is_below(bound)
    }
}

/// Nothing here hashes.
const ONLY_HASHES: &str = "only hashes need it";

impl<D: Domain> Vector for Model<D> {
    fn load_rows<const N: usize>(rows: &[&[u64; N]; 8]) -> [Self; N] {
        rows[0].map(|word| Self(D::load(word)))
    }

    fn store_rows<const N: usize>(words: &[Self; N], rows: &mut [[u64; N]; 8]) {
        rows[0] = words.map(|word| word.0.store());
    }

    fn load(words: &[u64]) -> Self {
        Self(D::load(words[0]))
    }

    fn store(self, words: &mut [u64]) {
        words[0] = self.0.store();
    }

    fn shuffle<const ORDER: i32>(self) -> Self {
        self
    }

    fn add_where(mask: u8, a: Self, b: Self) -> Self {
        a.binary(Operation::AddWhere(mask & 1 == 1), b)
    }

    fn subtract_where(mask: u8, from: u64, a: Self) -> Self {
        a.unary(Operation::SubtractWhere(mask & 1 == 1, from))
    }

    fn big_endian(self) -> Self {
        unreachable!("{ONLY_HASHES}")
    }

    fn rotate_right<const BITS: i32>(self) -> Self {
        unreachable!("{ONLY_HASHES}")
    }

    fn xor3(_: Self, _: Self, _: Self) -> Self {
        unreachable!("{ONLY_HASHES}")
    }

    fn choose(_: Self, _: Self, _: Self) -> Self {
        unreachable!("{ONLY_HASHES}")
    }

    fn majority(_: Self, _: Self, _: Self) -> Self {
        unreachable!("{ONLY_HASHES}")
    }
}

/// The 52-bit multiplier. 19·a is one product, as with AVX-512, or a sum of shifts, as with AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Multiplier<D, const BY_PRODUCT: bool>(PhantomData<D>);

impl<D: Domain, const BY_PRODUCT: bool> Madd52 for Multiplier<D, BY_PRODUCT> {
    type Word = Model<D>;

    fn low(sum: Model<D>, a: Model<D>, b: Model<D>) -> Model<D> {
        Model::ternary(Operation::Low52, sum, a, b)
    }

    fn high(sum: Model<D>, a: Model<D>, b: Model<D>) -> Model<D> {
        Model::ternary(Operation::High52, sum, a, b)
    }

    fn times_19(a: Model<D>) -> Model<D> {
        if BY_PRODUCT {
            a.unary(Operation::Times(19))
        } else {
            Word::times_19(a)
        }
    }
}

impl<D: Domain, const BY_PRODUCT: bool> ifma::Outlined for Multiplier<D, BY_PRODUCT> {
    fn product_called<F: Field>(a: F, b: F) -> F {
        a.product(b)
    }

    fn squared_called<F: Field>(a: F) -> F {
        a.squared()
    }

    fn power_2_250_minus_1<F: Field, const N: usize>(a: [F; N]) -> [F; N] {
        powers::power_2_250_minus_1(a)
    }
}

impl<D: Domain> Fma for Model<D> {
    fn double_mul_add(a: Self, b: Self, c: Self) -> Self {
        Self::ternary(Operation::DoubleMulAdd, a, b, c)
    }

    fn double_add(self, other: Self) -> Self {
        self.binary(Operation::DoubleAdd, other)
    }

    fn double_sub(self, other: Self) -> Self {
        self.binary(Operation::DoubleSub, other)
    }
}

impl<D: Domain> fma::Outlined for Model<D> {
    fn product<'a>(a: &[Self; 5], b: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5] {
        out.write(fma::product(a, b))
    }

    fn square<'a>(a: &[Self; 5], out: &'a mut Place<Self>) -> &'a [Self; 5] {
        out.write(fma::square(a))
    }

    fn product_called(a: Doubles<Self>, b: Doubles<Self>) -> Doubles<Self> {
        a.product_inlined(b)
    }

    fn squared_called(a: Doubles<Self>) -> Doubles<Self> {
        a.squared_inlined()
    }

    fn power_2_250_minus_1<const N: usize>(a: [Doubles<Self>; N]) -> [Doubles<Self>; N] {
        powers::power_2_250_minus_1(a)
    }
}

/// A sum of two words.
#[derive(Clone, Copy)]
pub(crate) struct Sum<D>(D);

impl<D: Domain> Wide128 for Model<D> {
    type Sum = Sum<D>;

    fn product(self, other: Self) -> Sum<D> {
        Sum(apply(Operation::Product, &[self.0, other.0]))
    }

    fn add_sums(a: Sum<D>, b: Sum<D>) -> Sum<D> {
        Sum(apply(Operation::AddSums, &[a.0, b.0]))
    }

    fn shift_sum_right<const BITS: i32>(a: Sum<D>) -> Sum<D> {
        Sum(apply(Operation::ShiftSumRight(BITS as u32), &[a.0]))
    }

    fn to_sum(self) -> Sum<D> {
        Sum(apply(Operation::ToSum, &[self.0]))
    }

    fn low(a: Sum<D>) -> Self {
        Self(apply(Operation::LowOfSum, &[a.0]))
    }

    fn sum_below<const BITS: i32>(a: Sum<D>) -> bool {
        a.0.sum_is_below(1 << BITS)
    }
}

impl<D: Domain> OneWord for Model<D> {
    fn shift_left_by(self, count: u32) -> Self {
        self.unary(Operation::ShiftLeft(count))
    }

    fn shift_right_by(self, count: u32) -> Self {
        self.unary(Operation::ShiftRight(count))
    }
}

/// Columns of 128 bits.
#[derive(Clone, Copy)]
pub(crate) struct In128<D>(PhantomData<D>);

impl<D: Domain> Multiply for In128<D> {
    type Word = Model<D>;
    const WIDE: u64 = Columns128::WIDE;
    const BIAS: Limbs = Columns128::BIAS;

    fn product(a: &[Model<D>; 5], b: &[Model<D>; 5]) -> [Model<D>; 5] {
        columns128::product(*a, *b)
    }

    fn square(a: &[Model<D>; 5]) -> [Model<D>; 5] {
        columns128::square(*a)
    }

    fn carry_product(product: [Model<D>; 5]) -> [Model<D>; 5] {
        product
    }
}

/// Columns of 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct In64<D>(PhantomData<D>);

impl<D: Domain> Multiply for In64<D> {
    type Word = Model<D>;
    const WIDE: u64 = Columns64::WIDE;
    const BIAS: Limbs = Columns64::BIAS;

    fn product(a: &[Model<D>; 5], b: &[Model<D>; 5]) -> [Model<D>; 5] {
        columns64::product(*a, *b)
    }

    fn square(a: &[Model<D>; 5]) -> [Model<D>; 5] {
        columns64::square(*a)
    }

    fn carry_product(product: [Model<D>; 5]) -> [Model<D>; 5] {
        limbs::carry(product)
    }
}
