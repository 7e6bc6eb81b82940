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

/// What a kernel returns.
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

/// What elements of a backend are read as, and where their limbs lie as terms of sums.
pub(crate) fn widened<B: Backend>() -> [Interval; 5] {
    match B::ELEMENT {
        Reading::Dirty => {
            let low = Interval::below(1 << 52);
            [low, low, low, low, B::element()[4]]
        }
        _ => B::element(),
    }
}

/// What the kernels of a backend read and return.
struct Places {
    /// An element as the backend holds it.
    element: Place,
    /// Tight limbs of 51 bits.
    tight: Place,
    /// Limbs of 51 bits that went around once: what a least residue is taken of.
    once_around: Place,
    /// The limbs of a least residue.
    least: Place,
    /// An element as a term of sums.
    widened: Place,
    /// A product, and one with the bias on top.
    product: Place,
    product_above: Place,
    /// A product or an element: what a carry of one term reads.
    alone: Place,
    /// Any sum.
    wide: Place,
    /// What may be subtracted, and what it may be subtracted from or added to: with the bias
    /// in it, and without.
    subtrahend: Place,
    above_bias: Place,
    below_bias: Place,
}

impl Places {
    fn of<B: Backend, D: Domain>() -> Self {
        let of = |reading, ranges| Place {
            reading,
            ranges,
            halves: false,
        };
        let limbs = |ranges| of(Reading::Limbs(51), ranges);
        let wide = |ranges| of(Reading::Limbs(B::Field::<D>::RADIX), ranges);
        let bias = B::Field::<D>::BIAS.map(|limb| Interval::point(limb.into()));
        let all_wide = each(Interval::below(B::Field::<D>::WIDE));
        let (product, widened) = (B::product(), widened::<B>());
        let tight = each(Interval::below(TIGHT));
        let mut once_around = tight;
        if B::ELEMENT == Reading::Dirty {
            once_around = each(Interval::below(1 << 51));
            once_around[0] = Interval::below((1 << 51) + (1 << 5));
        }
        Self {
            element: Place {
                halves: B::HALVES,
                ..of(B::ELEMENT, B::element())
            },
            tight: limbs(tight),
            once_around: limbs(once_around),
            least: limbs(each(Interval::below(1 << 51))),
            widened: wide(widened),
            product: wide(product),
            product_above: wide(from_fn(|i| product[i].add(bias[i]).expect("small"))),
            alone: wide(from_fn(|i| product[i].hull(widened[i]))),
            wide: wide(all_wide),
            subtrahend: wide(each(Interval::new(0, bias[0].high))),
            above_bias: wide(from_fn(|i| Interval::new(bias[i].low, all_wide[i].high))),
            below_bias: wide(from_fn(|i| {
                Interval::new(0, all_wide[i].high - bias[i].high)
            })),
        }
    }
}

/// The field of a backend on words of a domain.
trait On<D>: Field<Word = Model<D>> + 'static {}

impl<D, F: Field<Word = Model<D>> + 'static> On<D> for F {}

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

/// All kernels of a backend.
pub(crate) fn kernels<B: Backend, D: Domain>() -> Vec<Kernel<D>> {
    let at = &Places::of::<B, D>();
    let mut all = products::<B::Field<D>, D>(at);
    all.extend(sums::<B::Field<D>, D>(at));
    all.extend(masked_sums::<B::Field<D>, D>(at));
    all.extend(selections::<B::Field<D>, D>(at));
    all.extend(conversions::<B::Field<D>, D>(at));
    all.extend(residues::<B::Field<D>, D>(at));
    all
}

#[rustfmt::skip] // A table: a line for what a kernel reads and returns, and one for what it calls.
fn products<F: On<D>, D: Domain>(at: &Places) -> Vec<Kernel<D>> {
    let f = F::from_words;
    vec![
        kernel("product", [at.element; 2], Claim::Product, at.product,
            move |x| f(x[0]).mul(f(x[1])).0),
        kernel("square", [at.element], Claim::Square, at.product,
            move |x| f(x[0]).square().0),
        kernel("product + bias", [at.element; 2], Claim::Product, at.product_above,
            move |x| f(x[0]).mul_above(f(x[1])).0),
        kernel("square + bias", [at.element], Claim::Square, at.product_above,
            move |x| f(x[0]).square_above().0),
        kernel("carry", [at.wide], Claim::Input(0), at.element,
            |x| F::carry(Wide(x[0])).words()),
        kernel("carry of a product", [at.alone], Claim::Input(0), at.element,
            |x| F::carry_product(Wide(x[0])).words()),
    ]
}

#[rustfmt::skip] // A table.
fn sums<F: On<D>, D: Domain>(at: &Places) -> Vec<Kernel<D>> {
    vec![
        kernel("a + b", [at.below_bias, at.subtrahend], Claim::Sum, at.wide,
            |x| F::add(Wide(x[0]), Wide(x[1])).0),
        kernel("a - b", [at.below_bias, at.subtrahend], Claim::Difference, at.wide,
            |x| F::sub(Wide(x[0]), Wide(x[1])).0),
        kernel("a - b, bias in a", [at.above_bias, at.subtrahend], Claim::Difference, at.wide,
            |x| F::difference(Wide(x[0]), Wide(x[1])).0),
    ]
}

#[rustfmt::skip] // A table.
fn masked_sums<F: On<D>, D: Domain>(at: &Places) -> Vec<Kernel<D>> {
    vec![
        kernel("negate where set", [at.subtrahend], Claim::Negative, at.wide,
            |x| F::negate_where(0xff, Wide(x[0])).0),
        kernel("negate where clear", [at.subtrahend], Claim::Input(0), at.wide,
            |x| F::negate_where(0, Wide(x[0])).0),
        kernel("add where set", [at.below_bias, at.subtrahend], Claim::Sum, at.wide,
            |x| F::add_where(0xff, Wide(x[0]), Wide(x[1])).0),
        kernel("add where clear", [at.below_bias, at.subtrahend], Claim::Input(0), at.wide,
            |x| F::add_where(0, Wide(x[0]), Wide(x[1])).0),
    ]
}

#[rustfmt::skip] // A table.
fn selections<F: On<D>, D: Domain>(at: &Places) -> Vec<Kernel<D>> {
    let f = F::from_words;
    vec![
        kernel("select where set", [at.element; 2], Claim::Input(0), at.element,
            move |x| F::select(0xff, f(x[0]), f(x[1])).words()),
        kernel("select where clear", [at.element; 2], Claim::Input(1), at.element,
            move |x| F::select(0, f(x[0]), f(x[1])).words()),
        kernel("select sums, set", [at.wide; 2], Claim::Input(0), at.wide,
            |x| F::select_wide(0xff, Wide(x[0]), Wide(x[1])).0),
        kernel("select sums, clear", [at.wide; 2], Claim::Input(1), at.wide,
            |x| F::select_wide(0, Wide(x[0]), Wide(x[1])).0),
    ]
}

#[rustfmt::skip] // A table.
fn conversions<F: On<D>, D: Domain>(at: &Places) -> Vec<Kernel<D>> {
    let f = F::from_words;
    vec![
        kernel("from limbs", [at.tight], Claim::Input(0), at.element,
            |x| F::from_limbs(x[0]).words()),
        kernel("to limbs", [at.element], Claim::Input(0), at.once_around,
            move |x| f(x[0]).limbs()),
        kernel("to a sum", [at.element], Claim::Input(0), at.widened,
            move |x| f(x[0]).widen().0),
        kernel("to a row and back", [at.element], Claim::Input(0), at.element,
            move |x| F::from_row(f(x[0]).row()).words()),
    ]
}

/// The least residue, and what is asked of it.
fn residues<F: On<D>, D: Domain>(at: &Places) -> Vec<Kernel<D>> {
    let f = F::from_words;
    // Limbs that went around once are reduced as they are.
    let reduced: Of<D, Words<D>> = match at.element.reading {
        Reading::Dirty => Box::new(move |x| f(x[0]).limbs()),
        _ => Box::new(move |x| F::carry(f(x[0]).widen()).limbs()),
    };
    let least = || -> Of<D, Words<D>> { Box::new(move |x| f(x[0]).canonical()) };
    let mask = |name, claim, run: fn(F) -> u8| Kernel {
        name,
        inputs: vec![at.element],
        run: Box::new(move |x| Output::Mask(run(f(x[0])))),
        claim,
        output: at.tight.reading,
        bounds: at.tight.ranges,
    };
    vec![
        kernel(
            "least residue",
            [at.element],
            Claim::Least(reduced),
            at.least,
            move |x| f(x[0]).canonical(),
        ),
        mask("is zero", Claim::IsZero(least()), F::is_zero),
        mask("is odd", Claim::IsOdd(least()), F::is_odd),
    ]
}
