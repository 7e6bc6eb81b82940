//! The kernels of a backend: what each reads, what it returns, and what is claimed of it.

use klero_lanes::unstable::field::limbs::TIGHT;
use klero_lanes::unstable::field::{Field, Wide};

use super::backends::{Backend, Reading};
use super::model::Model;
use crate::words::domain::Domain;
use crate::words::interval::Interval;

/// Five words of a domain.
pub(crate) type Words<D> = [Model<D>; 5];

/// Words that a kernel reads.
pub(crate) struct Input {
    pub reading: Reading,
    /// Where its words lie, or their values as doubles.
    pub ranges: [Interval; 5],
    /// Whether symbols are given as two halves.
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
    pub inputs: Vec<Input>,
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

/// All kernels of a backend.
pub(crate) fn kernels<B: Backend, D: Domain>() -> Vec<Kernel<D>> {
    let wide = Reading::Limbs(B::Field::<D>::RADIX);
    let limbs = Reading::Limbs(51);
    let bias = B::Field::<D>::BIAS.map(|limb| Interval::point(limb.into()));
    let subtrahend = each(Interval::new(0, bias[0].high));
    let all_wide = each(Interval::below(B::Field::<D>::WIDE));
    let product = B::product();
    let tight = each(Interval::below(TIGHT));
    let product_above = std::array::from_fn(|i| product[i].add(bias[i]).expect("small"));
    let alone = std::array::from_fn(|i| product[i].hull(widened::<B>()[i]));
    let minuend = std::array::from_fn(|i| Interval::new(bias[i].low, all_wide[i].high));
    let below_bias = std::array::from_fn(|i| Interval::new(0, all_wide[i].high - bias[i].high));
    let once_around = match B::ELEMENT {
        Reading::Dirty => {
            let mut bounds = each(Interval::below(1 << 51));
            bounds[0] = Interval::below((1 << 51) + (1 << 5));
            bounds
        }
        _ => tight,
    };

    let element = || Input {
        reading: B::ELEMENT,
        ranges: B::element(),
        halves: B::HALVES,
    };
    let of_limbs = |reading: Reading, ranges: [Interval; 5]| Input {
        reading,
        ranges,
        halves: false,
    };
    fn field<B: Backend, D: Domain>(words: Words<D>) -> B::Field<D> {
        B::Field::<D>::from_words(words)
    }
    fn kernel<D>(
        name: &'static str,
        inputs: Vec<Input>,
        claim: Claim<D>,
        (output, bounds): (Reading, [Interval; 5]),
        run: impl Fn(&[Words<D>]) -> Words<D> + 'static,
    ) -> Kernel<D> {
        Kernel {
            name,
            inputs,
            run: Box::new(move |x| Output::Words(run(x))),
            claim,
            output,
            bounds,
        }
    }
    let f = field::<B, D>;
    let least = || -> Of<D, Words<D>> { Box::new(move |x| f(x[0]).canonical()) };
    let mask = |name, claim, run: fn(B::Field<D>) -> u8| Kernel {
        name,
        inputs: vec![element()],
        run: Box::new(move |x| Output::Mask(run(f(x[0])))),
        claim,
        output: limbs,
        bounds: tight,
    };
    let two_wide = |a, b| vec![of_limbs(wide, a), of_limbs(wide, b)];
    let an_element = (B::ELEMENT, B::element());

    vec![
        kernel(
            "product",
            vec![element(), element()],
            Claim::Product,
            (wide, product),
            move |x| f(x[0]).mul(f(x[1])).0,
        ),
        kernel(
            "square",
            vec![element()],
            Claim::Square,
            (wide, product),
            move |x| f(x[0]).square().0,
        ),
        kernel(
            "product + bias",
            vec![element(), element()],
            Claim::Product,
            (wide, product_above),
            move |x| f(x[0]).mul_above(f(x[1])).0,
        ),
        kernel(
            "square + bias",
            vec![element()],
            Claim::Square,
            (wide, product_above),
            move |x| f(x[0]).square_above().0,
        ),
        kernel(
            "carry",
            vec![of_limbs(wide, all_wide)],
            Claim::Input(0),
            an_element,
            |x| B::Field::<D>::carry(Wide(x[0])).words(),
        ),
        kernel(
            "carry of a product",
            vec![of_limbs(wide, alone)],
            Claim::Input(0),
            an_element,
            |x| B::Field::<D>::carry_product(Wide(x[0])).words(),
        ),
        kernel(
            "a + b",
            two_wide(below_bias, subtrahend),
            Claim::Sum,
            (wide, all_wide),
            |x| B::Field::<D>::add(Wide(x[0]), Wide(x[1])).0,
        ),
        kernel(
            "a - b",
            two_wide(below_bias, subtrahend),
            Claim::Difference,
            (wide, all_wide),
            |x| B::Field::<D>::sub(Wide(x[0]), Wide(x[1])).0,
        ),
        kernel(
            "a - b, bias in a",
            two_wide(minuend, subtrahend),
            Claim::Difference,
            (wide, all_wide),
            |x| B::Field::<D>::difference(Wide(x[0]), Wide(x[1])).0,
        ),
        kernel(
            "negate where set",
            vec![of_limbs(wide, subtrahend)],
            Claim::Negative,
            (wide, all_wide),
            |x| B::Field::<D>::negate_where(0xff, Wide(x[0])).0,
        ),
        kernel(
            "negate where clear",
            vec![of_limbs(wide, subtrahend)],
            Claim::Input(0),
            (wide, all_wide),
            |x| B::Field::<D>::negate_where(0, Wide(x[0])).0,
        ),
        kernel(
            "add where set",
            two_wide(below_bias, subtrahend),
            Claim::Sum,
            (wide, all_wide),
            |x| B::Field::<D>::add_where(0xff, Wide(x[0]), Wide(x[1])).0,
        ),
        kernel(
            "add where clear",
            two_wide(below_bias, subtrahend),
            Claim::Input(0),
            (wide, all_wide),
            |x| B::Field::<D>::add_where(0, Wide(x[0]), Wide(x[1])).0,
        ),
        kernel(
            "select where set",
            vec![element(), element()],
            Claim::Input(0),
            an_element,
            move |x| B::Field::<D>::select(0xff, f(x[0]), f(x[1])).words(),
        ),
        kernel(
            "select where clear",
            vec![element(), element()],
            Claim::Input(1),
            an_element,
            move |x| B::Field::<D>::select(0, f(x[0]), f(x[1])).words(),
        ),
        kernel(
            "select sums, set",
            two_wide(all_wide, all_wide),
            Claim::Input(0),
            (wide, all_wide),
            |x| B::Field::<D>::select_wide(0xff, Wide(x[0]), Wide(x[1])).0,
        ),
        kernel(
            "select sums, clear",
            two_wide(all_wide, all_wide),
            Claim::Input(1),
            (wide, all_wide),
            |x| B::Field::<D>::select_wide(0, Wide(x[0]), Wide(x[1])).0,
        ),
        kernel(
            "from limbs",
            vec![of_limbs(limbs, tight)],
            Claim::Input(0),
            an_element,
            |x| B::Field::<D>::from_limbs(x[0]).words(),
        ),
        kernel(
            "to limbs",
            vec![element()],
            Claim::Input(0),
            (limbs, once_around),
            move |x| f(x[0]).limbs(),
        ),
        kernel(
            "to a sum",
            vec![element()],
            Claim::Input(0),
            (wide, widened::<B>()),
            move |x| f(x[0]).widen().0,
        ),
        kernel(
            "to a row and back",
            vec![element()],
            Claim::Input(0),
            an_element,
            move |x| B::Field::<D>::from_row(f(x[0]).row()).words(),
        ),
        kernel(
            "least residue",
            vec![element()],
            Claim::Least(Box::new(move |x| match B::ELEMENT {
                Reading::Dirty => f(x[0]).limbs(),
                _ => B::Field::<D>::carry(f(x[0]).widen()).limbs(),
            })),
            (limbs, each(Interval::below(1 << 51))),
            move |x| f(x[0]).canonical(),
        ),
        mask("is zero", Claim::IsZero(least()), |a| a.is_zero()),
        mask("is odd", Claim::IsOdd(least()), |a| a.is_odd()),
    ]
}
