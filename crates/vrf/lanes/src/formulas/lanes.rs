//! The parts of a backend that the formulas need besides its field: the same field in one lane and
//! in eight lanes, and memory for the tables of the base point.

use crate::field::{Field, Portable, PortableCalls};
use crate::formulas::eight::Eight;
use crate::formulas::tables::Tables;

#[cfg(target_arch = "x86_64")]
use crate::field::{Avx2, Avx512, AvxIfma, Ifma, Ifma52, IfmaAlone};

/// A backend's field, together with the same field in one lane and in eight.
pub trait Lanes: Field {
    /// The field in one lane. It is used for the tables of the base point and for the last addition of a sum.
    type One: Single;

    /// Eight elements, in `8 / LANES` vectors.
    type Eight: Eight;
}

impl Lanes for Portable {
    type One = Self;
    // Multiplying eight elements takes eight products here. Each needs as much code as one product in
    // eight lanes. To keep the code small, products are function calls, which take an eighth longer.
    // Only sums of few terms and Horner's rule use them.
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
    // `IfmaAlone` has the lower latency: with a single item, each operation waits for the previous one.
    type Eight = [IfmaAlone; 1];
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Ifma52 {
    type One = Portable;
    type Eight = [Self; 1];
}

/// A field of one lane, in which tables of the base point are made.
pub trait Single: Field {
    /// The tables of the base point. Each table is made when it is first needed.
    fn tables() -> &'static Tables;
}

impl Single for Portable {
    fn tables() -> &'static Tables {
        static TABLES: Tables = Tables::new();
        &TABLES
    }
}
