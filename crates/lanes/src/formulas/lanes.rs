//! The parts of a backend that the formulas need besides its field: the same field in one lane and
//! in eight, and a place for the tables of the base point.

use crate::field::{Field, Portable, PortableCalls};
use crate::formulas::eight::Eight;
use crate::formulas::tables::Tables;

#[cfg(target_arch = "x86_64")]
use crate::field::{Avx2, Avx512, AvxIfma, Ifma, Ifma52, IfmaAlone};

/// A backend's field, and the same field in other numbers of lanes.
pub trait Lanes: Field {
    /// One lane, for what is computed once: tables of the base point, the last addition of a sum.
    type One: Single;

    /// Eight elements, in `8 / LANES` vectors.
    type Eight: Eight;
}

impl Lanes for Portable {
    type One = Self;
    // Here a product of eight elements is eight products, each as long as one of eight lanes. As calls
    // they take an eighth longer. In one lane, only sums of few terms and Horner's rule need them.
    type Eight = [PortableCalls; 8];
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx2 {
    type One = Portable;
    type Eight = [Self; 2];
}

#[cfg(target_arch = "x86_64")]
impl Lanes for AvxIfma {
    type One = Portable;
    type Eight = [Self; 2];
}

#[cfg(all(target_arch = "x86_64", debug_assertions))]
impl Lanes for crate::field::AvxIfmaTwin {
    type One = Portable;
    type Eight = [Self; 2];
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx512 {
    type One = Portable;
    type Eight = [Self; 1];
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Ifma {
    type One = Portable;
    // One item alone is a chain of operations, where each waits for the one before.
    type Eight = [IfmaAlone; 1];
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Ifma52 {
    type One = Portable;
    type Eight = [Self; 1];
}

/// A field of one lane, in which tables of the base point are made.
pub trait Single: Field {
    /// The place where these tables are kept. Each is made when it is first needed.
    fn tables() -> &'static Tables;
}

impl Single for Portable {
    fn tables() -> &'static Tables {
        static TABLES: Tables = Tables::new();
        &TABLES
    }
}
