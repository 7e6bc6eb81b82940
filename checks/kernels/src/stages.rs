//! The formulas on points, on bounds alone: whether every sum that they carry, and every
//! difference, is within the bounds of the kernels.
//!
//! All stages of klero-lanes that compute in the field run on [`Any`], a few items each. Which
//! points and scalars these are decides only how often an operation follows another: every element
//! is any element.

use crate::alone::multiples::mul_alone;
use crate::alone::sums::{horner, mul_base_sub_alone, sum_of_few};
use crate::attempt::attempt;
use crate::comb;
use crate::elligator2::Elligator2;
use crate::encoding::{decode_and_map, encode, normalize};
use crate::field::any::{Any, use_backend};
use crate::field::backends::Backend;
use crate::field::{Field, TIGHT};
use crate::known::{self, KnownPoint, MULTIPLES, mul_base_and_known};
use crate::msm::{Windows, sums_of_windows};
use crate::point::Point;
use crate::ristretto::decode_ristretto;
use crate::rows::{AffineRow, prepare};
use crate::small_multiples::{mul_by_cofactor, sub_small_multiple};
use crate::straus::{Multipliers, mul_base_and_point, mul_two_points, slices};
use crate::torsion::torsion_free;
use crate::words::execution::{Mode, execute};
use crate::words::symbol::{self, Selection, Symbol};

/// The largest values of a backend in all stages.
pub struct Widest {
    /// Of a limb that is carried.
    pub sum: i128,
    /// Of a limb that is subtracted.
    pub subtrahend: i128,
}

/// Runs all stages in this mode.
pub fn check<B: Backend>(backend: &'static B, mode: Mode) -> Result<Widest, String> {
    symbol::begin(Selection::Either, false);
    use_backend(backend);
    attempt(|| execute(mode, all))?;
    let highest = |bound| symbol::highest_below(bound).ok_or("nothing was compared".to_owned());
    Ok(Widest {
        sum: highest(B::Field::<Symbol>::WIDE)?,
        subtrahend: highest(B::Field::<Symbol>::BIAS[0] + 1)?,
    })
}

fn all() {
    roots();
    small();
    multiples();
    known();
    alone();
    many();
}

/// The scalar has digits of both signs, and zeros.
const SCALAR: [u8; 32] = {
    let mut scalar = [0x3a; 32];
    scalar[7] = 0;
    scalar[20] = 0xc5;
    scalar[31] = 0x0f;
    scalar
};

/// In memory a word is its upper bound: that of all limbs there.
const ANY_POINT: Point = Point([TIGHT - 1; 20]);

const ANY_ROW: AffineRow = AffineRow([TIGHT - 1; 16]);

fn roots() {
    let (mut points, mut mapped) = ([Point::IDENTITY; 3], [Point::IDENTITY; 3]);
    let mut flags = [false; 3];
    let bytes = [[0xff; 32]; 3];
    for form in [Elligator2::Draft03, Elligator2::Rfc9380] {
        decode_and_map::<Any>(&bytes, &mut points, &mut flags, &bytes, form, &mut mapped);
    }
    decode_ristretto::<Any>(&bytes, &mut points, &mut flags);
    torsion_free::<Any>(&[ANY_POINT; 3], &mut flags);
    let mut encodings = [[0; 32]; 3];
    encode::<Any>(&[ANY_POINT; 3], &mut encodings);
    normalize::<Any>(&mut points);
    prepare::<Any>(&points, &mut [AffineRow::IDENTITY; 3]);
}

fn small() {
    let p = [ANY_POINT];
    let mut out = [Point::IDENTITY];
    mul_by_cofactor::<Any>(&p, &mut out);
    for m in -4..=4 {
        sub_small_multiple::<Any>(&p, &[m], &p, &mut out);
    }
}

fn multiples() {
    let (p, s) = ([ANY_POINT], [SCALAR]);
    let mut out = [Point::IDENTITY];
    let m = slices(&s);
    mul_base_and_point::<Any>(&s, Multipliers::minus(&m, 128), &p, &mut out);
    mul_base_and_point::<Any>(&s, Multipliers::minus(&m, 253), &p, &mut out);
    mul_two_points::<Any>(&s, &p, Multipliers::plus(&m, 253), &p, &mut out);
    let (mut by_x, mut by_k) = (out, out);
    comb::secret_mul::<Any>(&p, &s, &mut out);
    comb::secret_mul_pair::<Any>(&p, &s, &s, &mut by_x, &mut by_k);
    comb::secret_mul_base::<Any>(&s, &mut out);
}

fn known() {
    let mut points = [[Point::IDENTITY; MULTIPLES]];
    known::multiples::<Any>(&[ANY_POINT], &mut points);
    let rows = [ANY_ROW; MULTIPLES];
    let known = KnownPoint::from_rows(&rows, Any::RADIX);
    let mut out = [Point::IDENTITY];
    mul_base_and_known::<Any>(&[SCALAR], &[[0x3a; 16]], &[&known], &mut out);
}

fn alone() {
    let (p, s) = (ANY_POINT, SCALAR);
    let mut both = [[Point::IDENTITY; 2]];
    for subtract in [false, true] {
        mul_alone::<Any>(&[s], &[[p; 2]], &[s], &[[p; 2]], subtract, &mut both);
    }
    let [mut halves] = both;
    sum_of_few::<Any>(&s, &slices(&[s; 3]), 253, &[p; 3], &mut halves);
    horner::<Any>(&s, &[p; 30], 8, &mut halves);
    mul_base_sub_alone::<Any>(&[s; 2], &[s; 2], &[p; 2], &mut halves);
}

fn many() {
    let table = [ANY_ROW; 4];
    let mut sums = [Point::IDENTITY];
    let signed = Windows::sort(&[3, -2, 1], 3, 4, 3);
    sums_of_windows::<Any>(&table, &signed, &mut sums, &mut []);
    let unsigned = Windows::sort(&[15, 6, 1], 3, 15, 3);
    sums_of_windows::<Any>(&table, &unsigned, &mut sums, &mut [Point::IDENTITY; 4]);
}
