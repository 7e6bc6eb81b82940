//! A field of bounds alone, in which every element is *any* element.
//!
//! A formula on it multiplies and adds intervals. Whatever a carry returns is replaced by limbs
//! anywhere within the bounds of an element, once the carry has shown that its result is within
//! them. So what is shown of one operation on points is shown of every sequence of operations,
//! however long: each begins with any elements, and ends with elements.
//!
//! The type is one for all backends, so that the formulas are compiled once. Which backend it
//! stands for is set while they run.
//!
//! Rows are of tight limbs here, for every backend, and whoever loads one asserts that they are.
//! Backends of another radix have tables of their own, which [`stages`](crate::stages) loads as
//! their elements; the rows that they store themselves are those of "to a row and back".

use std::cell::Cell;

use klero_lanes::unstable::field::limbs;
use klero_lanes::unstable::field::powers;
use klero_lanes::unstable::field::{Field, Limbs, Portable, Wide};
use klero_lanes::unstable::formulas::Lanes;

use super::backends::{Backend, Reading};
use super::kernels::{Place, Words};
use super::model::Model;
use crate::symbolic::symbols;
use crate::words::symbol::{Symbol, remembered};

type Five = Words<Symbol>;

/// What differs from backend to backend.
#[derive(Clone, Copy)]
struct Kernels {
    /// Any element.
    element: fn() -> Five,
    limbs: fn(Five) -> Five,
    /// Those named `check_…` assert bounds; what they return is any element.
    check_limbs: fn(Five),
    check_constant: fn(Limbs),
    mul: fn(Five, Five) -> Five,
    square: fn(Five) -> Five,
    mul_above: fn(Five, Five) -> Five,
    square_above: fn(Five) -> Five,
    check_carry: fn(Five),
    check_carry_product: fn(Five),
    widen: fn(Five) -> Five,
    above: fn(Five) -> Five,
    difference: fn(Five, Five) -> Five,
    negate_where: fn(u8, Five) -> Five,
    canonical: fn(Five) -> Five,
}

/// What a kernel makes of words of which only bounds are known. They become inputs with
/// polynomials within the kernel, since its bounds follow from more than intervals.
fn run<B: Backend>(
    name: &'static str,
    reading: Reading,
    inputs: &[Five],
    kernel: impl Fn(&[Five]) -> Five,
) -> Five {
    let ranges: Vec<_> = inputs
        .as_flattened()
        .iter()
        .map(|word| match reading {
            Reading::Doubles => word.0.value_of_double().range,
            _ => word.0.word().range,
        })
        .collect();
    let result = remembered(name, ranges.clone(), || {
        let inputs = ranges.as_chunks().0.iter().map(|&ranges| {
            symbols(&Place {
                reading,
                ranges,
                halves: B::HALVES,
            })
        });
        let inputs: Vec<_> = inputs.collect();
        kernel(&inputs).map(|word| word.0.word().range)
    });
    result.map(|range| Model(Symbol::within(range, false)))
}

fn field<B: Backend>(words: Five) -> B::Field<Symbol> {
    B::Field::from_words(words)
}

/// A carry, which asserts its own bounds.
fn carried<B: Backend>(
    name: &'static str,
    wide: Five,
    carry: fn(Wide<Model<Symbol>>) -> B::Field<Symbol>,
) {
    let reading = Reading::Limbs(B::Field::<Symbol>::RADIX);
    run::<B>(name, reading, &[wide], |x| {
        carry(Wide(x[0])).check_tight();
        x[0]
    });
}

impl Kernels {
    fn of<B: Backend>() -> Self {
        Self {
            element: || {
                let is_double = B::ELEMENT == Reading::Doubles;
                B::element().map(|range| Model(Symbol::within(range, is_double)))
            },
            limbs: |a| field::<B>(a).limbs(),
            check_limbs: |limbs| B::Field::from_limbs(limbs).check_tight(),
            check_constant: |limbs| B::Field::<Symbol>::splat(limbs).check_tight(),
            mul: |a, b| {
                run::<B>("product", B::ELEMENT, &[a, b], |x| {
                    field::<B>(x[0]).mul(field::<B>(x[1])).0
                })
            },
            square: |a| run::<B>("square", B::ELEMENT, &[a], |x| field::<B>(x[0]).square().0),
            mul_above: |a, b| {
                run::<B>("product + bias", B::ELEMENT, &[a, b], |x| {
                    field::<B>(x[0]).mul_above(field::<B>(x[1])).0
                })
            },
            square_above: |a| {
                run::<B>("square + bias", B::ELEMENT, &[a], |x| {
                    field::<B>(x[0]).square_above().0
                })
            },
            check_carry: |wide| carried::<B>("carry", wide, Field::carry),
            check_carry_product: |wide| {
                carried::<B>("carry of a product", wide, Field::carry_product);
            },
            widen: |a| field::<B>(a).widen().0,
            above: |a| B::Field::<Symbol>::above(Wide(a)).0,
            difference: |a, b| B::Field::<Symbol>::difference(Wide(a), Wide(b)).0,
            negate_where: |mask, a| B::Field::<Symbol>::negate_where(mask, Wide(a)).0,
            canonical: |a| {
                let least = field::<B>(a).canonical();
                limbs::check(&least, 1 << 51);
                least
            },
        }
    }
}

thread_local! {
    static BACKEND: Cell<Option<Kernels>> = const { Cell::new(None) };
}

/// Makes [`Any`] stand for the elements of a backend from now on.
pub(crate) fn use_backend<B: Backend>() {
    BACKEND.set(Some(Kernels::of::<B>()));
}

fn backend() -> Kernels {
    BACKEND.get().expect("a backend is set before formulas run")
}

/// An element of the backend in use.
#[derive(Clone, Copy)]
pub(crate) struct Any(Five);

impl Any {
    fn element() -> Self {
        Self((backend().element)())
    }
}

impl Field for Any {
    type Word = Model<Symbol>;

    // The methods that read these constants are the backend's own.
    const WIDE: u64 = 0;
    const BIAS: Limbs = [0; 5];

    fn from_words(words: Five) -> Self {
        Self(words)
    }

    fn words(self) -> Five {
        self.0
    }

    fn from_limbs(limbs: Five) -> Self {
        (backend().check_limbs)(limbs);
        Self::element()
    }

    fn limbs(self) -> Five {
        (backend().limbs)(self.0)
    }

    fn splat(limbs: Limbs) -> Self {
        (backend().check_constant)(limbs);
        Self::element()
    }

    fn mul(self, other: Self) -> Wide<Self::Word> {
        Wide((backend().mul)(self.0, other.0))
    }

    fn square(self) -> Wide<Self::Word> {
        Wide((backend().square)(self.0))
    }

    fn mul_above(self, other: Self) -> Wide<Self::Word> {
        Wide((backend().mul_above)(self.0, other.0))
    }

    fn square_above(self) -> Wide<Self::Word> {
        Wide((backend().square_above)(self.0))
    }

    fn carry(wide: Wide<Self::Word>) -> Self {
        (backend().check_carry)(wide.0);
        Self::element()
    }

    fn carry_product(product: Wide<Self::Word>) -> Self {
        (backend().check_carry_product)(product.0);
        Self::element()
    }

    fn widen(self) -> Wide<Self::Word> {
        Wide((backend().widen)(self.0))
    }

    fn above(a: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide((backend().above)(a.0))
    }

    fn difference(a: Wide<Self::Word>, b: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide((backend().difference)(a.0, b.0))
    }

    fn negate_where(mask: u8, a: Wide<Self::Word>) -> Wide<Self::Word> {
        Wide((backend().negate_where)(mask, a.0))
    }

    fn canonical(self) -> Five {
        (backend().canonical)(self.0)
    }

    fn check_tight(self) {}

    fn power_2_250_minus_1<const N: usize>(a: [Self; N]) -> [Self; N] {
        powers::power_2_250_minus_1(a)
    }
}

impl Lanes for Any {
    type One = Portable;
    type Eight = [Self; 8];
}
