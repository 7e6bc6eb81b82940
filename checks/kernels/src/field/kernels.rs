//! The kernels of a backend: what each reads, what it returns, and what is claimed of it.

use std::array::from_fn;

use klero_lanes::unstable::field::limbs::TIGHT;
use klero_lanes::unstable::field::{Field, Wide};

use super::backends::{Backend, Reading};
use super::model::Model;
use crate::words::domain::Domain;
use crate::words::interval::Interval;

/// Five words of a domain.
pub(crate) type Words<D> = [Model<D>; 5];

/// Five words that a kernel reads or returns.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub reading: Reading,
    /// Where the words lie, or their values as doubles.
    pub ranges: [Interval; 5],
    /// Whether symbols that are read are given as two halves.
    pub halves: bool,
}

pub(crate) enum Output<D> {
    Words(Words<D>),
    Mask(u8),
}

/// A function of the inputs.
pub(crate) type Of<D, T> = Box<dyn Fn(&[Words<D>]) -> T>;

/// What is claimed of the result, modulo p, for inputs a and b.
pub(crate) enum Claim<D> {
    /// This input.
    Input(usize),
    /// a·b.
    Product,
    /// a².
    Square,
    /// a + b.
    Sum,
    /// a - b.
    Difference,
    /// -a.
    Negative,
    /// The least residue of a. The function returns the limbs that are reduced in the end.
    Least(Of<D, Words<D>>),
    /// Whether a is 0. The function returns the least residue.
    IsZero(Of<D, Words<D>>),
    /// Whether the least residue of a, which the function returns, is odd.
    IsOdd(Of<D, Words<D>>),
}

/// A kernel on words of a domain.
pub(crate) struct Kernel<D> {
    pub name: &'static str,
    pub inputs: Vec<Place>,
    pub run: Of<D, Output<D>>,
    pub claim: Claim<D>,
    /// How the result is read, and where its words lie.
    pub output: Reading,
    pub bounds: [Interval; 5],
}

/// All limbs alike.
fn each(range: Interval) -> [Interval; 5] {
    [range; 5]
}

/// A kernel that returns words.
fn kernel<D, const N: usize>(
    name: &'static str,
    inputs: [Place; N],
    claim: Claim<D>,
    output: Place,
    run: impl Fn(&[Words<D>]) -> Words<D> + 'static,
) -> Kernel<D> {
    Kernel {
        name,
        inputs: inputs.into(),
        run: Box::new(move |x| Output::Words(run(x))),
        claim,
        output: output.reading,
        bounds: output.ranges,
    }
}

pub(crate) fn kernels<B: Backend, D: Domain>() -> Vec<Kernel<D>> {
    of_field::<B, B::Field<D>, D>()
}

fn of_field<B: Backend, F: Field<Word = Model<D>> + 'static, D: Domain>() -> Vec<Kernel<D>> {
    let f = F::from_words;
    let place = |reading, ranges| Place {
        reading,
        ranges,
        halves: false,
    };
    let limbs = |ranges| place(Reading::Limbs(51), ranges);
    let sums = |ranges| place(Reading::Limbs(F::RADIX), ranges);
    let element = Place {
        halves: B::HALVES,
        ..place(B::ELEMENT, B::element())
    };
    let tight = limbs(each(Interval::below(TIGHT)));
    let least = limbs(each(Interval::below(1 << 51)));
    // The argument of a least residue, limbs that went around once; and an element as a term of sums.
    let (mut once_around, mut widened) = (tight, sums(element.ranges));
    if B::ELEMENT == Reading::Dirty {
        once_around = least;
        once_around.ranges[0] = Interval::below((1 << 51) + (1 << 5));
        widened.ranges[..4].fill(Interval::below(1 << 52));
    }
    let bias = F::BIAS.map(i128::from);
    let (of_product, widest) = (B::product(), i128::from(F::WIDE) - 1);
    let product = sums(of_product);
    let with_bias = |i: usize| of_product[i].add(Interval::point(bias[i]));
    let product_above = sums(from_fn(|i| with_bias(i).expect("small")));
    // The argument of a carry of one term.
    let product_or_element = sums(from_fn(|i| of_product[i].hull(widened.ranges[i])));
    let wide = sums(each(Interval::new(0, widest)));
    // What may be subtracted, and what it may be subtracted from or added to: with the bias in it,
    // and without.
    let subtrahend = sums(each(Interval::new(0, bias[0])));
    let above_bias = sums(bias.map(|bias| Interval::new(bias, widest)));
    let below_bias = sums(bias.map(|bias| Interval::new(0, widest - bias)));
    // Limbs that went around once are reduced as they are.
    let reduced: Of<D, Words<D>> = match B::ELEMENT {
        Reading::Dirty => Box::new(move |x| f(x[0]).limbs()),
        _ => Box::new(move |x| F::carry(f(x[0]).widen()).limbs()),
    };
    let residue = || -> Of<D, Words<D>> { Box::new(move |x| f(x[0]).canonical()) };
    let mask = |name, claim, run: fn(F) -> u8| Kernel {
        name,
        inputs: vec![element],
        run: Box::new(move |x| Output::Mask(run(f(x[0])))),
        claim,
        output: tight.reading,
        bounds: tight.ranges,
    };
    // A table: a line for what a kernel reads and returns, and one for what it calls.
    #[rustfmt::skip]
    let all = vec![
        kernel("product", [element; 2], Claim::Product, product,
            move |x| f(x[0]).mul(f(x[1])).0),
        kernel("square", [element], Claim::Square, product,
            move |x| f(x[0]).square().0),
        kernel("product + bias", [element; 2], Claim::Product, product_above,
            move |x| f(x[0]).mul_above(f(x[1])).0),
        kernel("square + bias", [element], Claim::Square, product_above,
            move |x| f(x[0]).square_above().0),
        kernel("carry", [wide], Claim::Input(0), element,
            |x| F::carry(Wide(x[0])).words()),
        kernel("carry of a product", [product_or_element], Claim::Input(0), element,
            |x| F::carry_product(Wide(x[0])).words()),
        kernel("a + b", [below_bias, subtrahend], Claim::Sum, wide,
            |x| F::add(Wide(x[0]), Wide(x[1])).0),
        kernel("a - b", [below_bias, subtrahend], Claim::Difference, wide,
            |x| F::sub(Wide(x[0]), Wide(x[1])).0),
        kernel("a - b, bias in a", [above_bias, subtrahend], Claim::Difference, wide,
            |x| F::difference(Wide(x[0]), Wide(x[1])).0),
        kernel("negate where set", [subtrahend], Claim::Negative, wide,
            |x| F::negate_where(0xff, Wide(x[0])).0),
        kernel("negate where clear", [subtrahend], Claim::Input(0), wide,
            |x| F::negate_where(0, Wide(x[0])).0),
        kernel("add where set", [below_bias, subtrahend], Claim::Sum, wide,
            |x| F::add_where(0xff, Wide(x[0]), Wide(x[1])).0),
        kernel("add where clear", [below_bias, subtrahend], Claim::Input(0), wide,
            |x| F::add_where(0, Wide(x[0]), Wide(x[1])).0),
        kernel("select where set", [element; 2], Claim::Input(0), element,
            move |x| F::select(0xff, f(x[0]), f(x[1])).words()),
        kernel("select where clear", [element; 2], Claim::Input(1), element,
            move |x| F::select(0, f(x[0]), f(x[1])).words()),
        kernel("select sums, set", [wide; 2], Claim::Input(0), wide,
            |x| F::select_wide(0xff, Wide(x[0]), Wide(x[1])).0),
        kernel("select sums, clear", [wide; 2], Claim::Input(1), wide,
            |x| F::select_wide(0, Wide(x[0]), Wide(x[1])).0),
        kernel("from limbs", [tight], Claim::Input(0), element,
            |x| F::from_limbs(x[0]).words()),
        kernel("to limbs", [element], Claim::Input(0), once_around,
            move |x| f(x[0]).limbs()),
        kernel("to a sum", [element], Claim::Input(0), widened,
            move |x| f(x[0]).widen().0),
        kernel("to a row and back", [element], Claim::Input(0), element,
            move |x| F::from_row(f(x[0]).row()).words()),
        kernel("least residue", [element], Claim::Least(reduced), least,
            move |x| f(x[0]).canonical()),
        mask("is zero", Claim::IsZero(residue()), F::is_zero),
        mask("is odd", Claim::IsOdd(residue()), F::is_odd),
    ];
    all
}
