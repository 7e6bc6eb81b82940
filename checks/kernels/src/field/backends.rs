//! The backends: the kernels of each, and the bounds that its page documents.

use std::marker::PhantomData;

use klero_lanes::unstable::field::Field;
use klero_lanes::unstable::field::fma::Doubles;
use klero_lanes::unstable::field::ifma::{Integers, Sums};
use klero_lanes::unstable::field::limbs::TIGHT;
use klero_lanes::unstable::field::portable::OneLane;
use klero_lanes::unstable::field::radix52::{Dirty, TOP_LIMB};

use super::model::{In64, In128, Model, Multiplier};
use crate::words::domain::Domain;
use crate::words::interval::Interval;

/// How five words are one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Limbs as integers; the number is the bits of each.
    Limbs(u32),
    /// Limbs of 51 bits, each a double.
    Doubles,
    /// Limbs of 52 bits, of which the lower four have dirt above them.
    Dirty,
}

impl Reading {
    /// The bits from one limb to the next.
    pub(crate) fn radix(self) -> u32 {
        match self {
            Self::Limbs(radix) => radix,
            Self::Doubles => 51,
            Self::Dirty => 52,
        }
    }
}

/// A backend on words of any domain.
pub(crate) trait Backend: 'static {
    type Field<D: Domain>: Field<Word = Model<D>> + 'static;

    /// How the words of an element are read.
    const ELEMENT: Reading = Reading::Limbs(51);

    /// The limbs of a product.
    fn product() -> [Interval; 5];

    /// An element as the backend holds it: its words, or their values as doubles.
    fn element() -> [Interval; 5] {
        [Interval::below(TIGHT); 5]
    }

    /// Whether symbols are given as two halves of limbs.
    const HALVES: bool = false;
}

/// All limbs below the bound.
fn all_below(bound: u64) -> [Interval; 5] {
    [Interval::below(bound); 5]
}

/// Radix 2^51 on the 52-bit multiplier: of AVX-512, or of AVX-IFMA. For one vector alone, halves of
/// products have columns of their own.
pub(crate) struct Ifma<const AVX_512: bool, S>(PhantomData<S>);

impl<const AVX_512: bool, S: Sums + 'static> Backend for Ifma<AVX_512, S> {
    type Field<D: Domain> = Integers<Multiplier<D, AVX_512>, S>;

    /// 2^59.1, which `ifma` states.
    fn product() -> [Interval; 5] {
        all_below(59.1f64.exp2() as u64)
    }
}

/// Radix 2^52 on the multiplier of AVX-512.
pub(crate) struct Ifma52;

impl Backend for Ifma52 {
    type Field<D: Domain> = Dirty<Multiplier<D, true>>;
    const ELEMENT: Reading = Reading::Dirty;

    fn product() -> [Interval; 5] {
        all_below(11 << 52)
    }

    fn element() -> [Interval; 5] {
        let any = Interval::new(0, u64::MAX.into());
        [any, any, any, any, Interval::below(TOP_LIMB)]
    }
}

/// Doubles, in AVX2 and in AVX-512.
pub(crate) struct InDoubles;

impl Backend for InDoubles {
    type Field<D: Domain> = Doubles<Model<D>>;
    const ELEMENT: Reading = Reading::Doubles;

    fn product() -> [Interval; 5] {
        all_below(3 << 58)
    }
}

/// One lane, in columns of 128 bits.
pub(crate) struct Portable128;

impl Backend for Portable128 {
    type Field<D: Domain> = OneLane<In128<D>>;

    fn product() -> [Interval; 5] {
        all_below((1 << 51) + (1 << 13))
    }
}

/// One lane, in columns of 64 bits.
pub(crate) struct Portable64;

impl Backend for Portable64 {
    type Field<D: Domain> = OneLane<In64<D>>;
    const HALVES: bool = true;

    fn product() -> [Interval; 5] {
        all_below(1 << 59)
    }
}
