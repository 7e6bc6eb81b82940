//! The formulas on points, on bounds alone: whether every sum that they carry, and every
//! difference, is within the bounds of the kernels.
//!
//! All stages of klero-lanes that compute in the field run on [`Any`], a few items each: those of
//! its list but the hashes and the lattice of integers. Which points and scalars these are decides
//! only how often an operation follows another: every element is any element.

use std::cell::RefCell;
use std::collections::BTreeSet;

use klero_lanes::unstable::STAGES;
use klero_lanes::unstable::field::limbs::TIGHT;
use klero_lanes::unstable::field::{Field, Portable};
use klero_lanes::unstable::formulas::alone::comb::{OfBase, mul_two};
use klero_lanes::unstable::formulas::alone::mul_two_by_cofactor;
use klero_lanes::unstable::formulas::comb_shape::{OF_EIGHTS, OF_LANES};
use klero_lanes::unstable::formulas::known::MULTIPLES;
use klero_lanes::unstable::formulas::lattice::halve;
use klero_lanes::unstable::formulas::msm::Windows;
use klero_lanes::unstable::formulas::point::AffineNiels;
use klero_lanes::unstable::formulas::rows::AffineRow;
use klero_lanes::unstable::formulas::straus::{Multipliers, base_tables, slices};
use klero_lanes::unstable::formulas::{self, Lanes};
use klero_lanes::{Elligator2, Halves, KnownPoint, Point};

use crate::attempt::attempt;
use crate::field::any::{Any, use_backend};
use crate::field::backends::Backend;
use crate::integer::by_logarithm;
use crate::words::execution::{Mode, execute};
use crate::words::symbol::{self, Selection, Symbol};

/// The stages that do not compute in the field.
const NOT_IN_THE_FIELD: [&str; 3] = ["sha512::sha512", "blake2b::blake2b", "lattice::halve"];

thread_local! {
    /// The names of the stages that ran.
    static RAN: RefCell<BTreeSet<&'static str>> = RefCell::default();
}

/// Runs a stage.
macro_rules! run {
    ($module:ident::$stage:ident($($argument:expr),* $(,)?)) => {
        let name = concat!(stringify!($module), "::", stringify!($stage));
        RAN.with_borrow_mut(|ran| ran.insert(name));
        formulas::$module::$stage::<Any>($($argument),*);
    };
}

/// Runs all stages in this mode: the largest limbs that are carried, and that are subtracted.
pub fn check<B: Backend>(mode: Mode) -> Result<String, String> {
    symbol::begin(Selection::Either, false);
    use_backend::<B>();
    RAN.take();
    attempt(|| {
        execute(mode, || {
            tables::<B>();
            roots();
            small();
            multiples();
            known();
            alone();
            many();
        })
    })?;
    let ran = RAN.take();
    for stage in STAGES {
        if !ran.contains(stage) && !NOT_IN_THE_FIELD.contains(stage) {
            return Err(format!("{stage} did not run"));
        }
    }
    let highest = |bound| symbol::highest_below(bound).ok_or("nothing was compared".to_owned());
    let (wide, bias) = (B::Field::<Symbol>::WIDE, B::Field::<Symbol>::BIAS[0]);
    Ok(format!(
        "  all stages: sums up to {} of {}, subtrahends up to {} of {}",
        by_logarithm(highest(wide)?),
        by_logarithm(wide.into()),
        by_logarithm(highest(bias + 1)?),
        by_logarithm(bias.into()),
    ))
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

/// Loads every row of the backend's tables of the base point. The stages read few, those for one
/// scalar.
fn tables<B: Backend>() {
    let radix = B::Field::<Symbol>::RADIX;
    let tables = [
        base_tables::<Portable, 2>(radix),
        base_tables::<Portable, 8>(radix),
    ];
    let rows = tables.iter().copied().flatten().flatten();
    let combs = [OF_LANES, OF_EIGHTS].map(|shape| shape.rows::<Portable>(radix));
    for row in rows.chain(combs.iter().flatten().flatten()) {
        let row = AffineNiels::<B::Field<Symbol>>::load(&[&row.0; 8]);
        for element in [row.y_minus_x, row.y_plus_x, row.xy2d] {
            element.check_tight();
        }
    }
}

fn roots() {
    let (mut points, mut mapped) = ([Point::IDENTITY; 3], [Point::IDENTITY; 3]);
    let mut flags = [false; 3];
    let bytes = [[0xff; 32]; 3];
    for form in [Elligator2::Draft03, Elligator2::Rfc9380] {
        run! { encoding::decode_and_map(&bytes, &mut points, &mut flags, &bytes, form, &mut mapped) }
    }
    run! { ristretto::decode_ristretto(&bytes, &mut points, &mut flags) }
    run! { torsion::torsion_free(&[ANY_POINT; 3], &mut flags) }
    let mut encodings = [[0; 32]; 3];
    run! { encoding::encode(&[ANY_POINT; 3], &mut encodings) }
    run! { encoding::normalize(&mut points) }
    run! { rows::prepare(&points, &mut [AffineRow::IDENTITY; 3]) }
}

fn small() {
    let p = [ANY_POINT];
    let mut out = [Point::IDENTITY];
    run! { small_multiples::mul_by_cofactor(&p, &mut out) }
    for m in -4..=4 {
        run! { small_multiples::sub_small_multiple(&p, &[m], &p, &mut out) }
    }
}

fn multiples() {
    let (p, s) = ([ANY_POINT], [SCALAR]);
    let mut out = [Point::IDENTITY];
    let m = slices(&s);
    run! { straus::mul_two(&s, None, Multipliers::minus(&m, 128), &p, &mut out) }
    run! { straus::mul_two(&s, Some(&p), Multipliers::plus(&m, 253), &p, &mut out) }
    let mut halves = [Halves::ZERO];
    halve::<Portable>(&s, &mut halves);
    run! { equation::vanishes(&s, &halves, &p, &p, &mut [false]) }
    let (mut by_x, mut by_k) = (out, out);
    run! { comb::secret_mul(&p, &[&s, &s], &mut [&mut by_x, &mut by_k]) }
    run! { base_comb::secret_mul_base(&s, &mut out) }
}

fn known() {
    let mut points = [[Point::IDENTITY; MULTIPLES]];
    run! { known::multiples(&[ANY_POINT], &mut points) }
    let rows = [ANY_ROW; MULTIPLES];
    let known = KnownPoint::from_rows(&rows, Any::RADIX);
    let mut out = [Point::IDENTITY];
    run! { known::mul_base_and_known(&[SCALAR], &[[0x3a; 16]], &[&known], &mut out) }
}

fn alone() {
    let (p, s) = (ANY_POINT, SCALAR);
    let mut both = [[Point::IDENTITY; 2]];
    for subtract in [false, true] {
        run! { alone::mul_alone(&[s], &[[p; 2]], &[s], &[[p; 2]], subtract, &mut both) }
    }
    let [mut halves] = both;
    run! { alone::sum_of_few(&s, &slices(&[s; 3]), 253, &[p; 3], &mut halves) }
    run! { alone::horner(&s, &[p; 30], 8, &mut halves) }
    run! { alone::mul_base_sub_alone(&[s; 2], &[s; 2], &[p; 2], &mut halves) }
    let (mut by_x, mut by_k, mut base) = ([p], [p], [p]);
    run! { alone::secret_mul_alone(&[p], &[s], &mut by_x) }
    run! { alone::secret_prove_alone(&[p], &[s], &[s], &mut by_x, &mut by_k, &mut base) }
    // In one lane these stages are those of `comb` and the cofactor's. With more lanes they call these.
    let mut of_base = OfBase::new::<Any>();
    of_base.fill(&s);
    mul_two::<<Any as Lanes>::Eight>([&p; 2], [&s; 2], Some(&mut of_base));
    of_base.finish::<Any>();
    mul_two_by_cofactor::<<Any as Lanes>::Eight>([&p; 2]);
}

fn many() {
    let table = [ANY_ROW; 4];
    let mut sums = [Point::IDENTITY];
    let signed = Windows::sort(&[3, -2, 1], 3, 4, 3);
    run! { msm::sums_of_windows(&table, &signed, &mut sums, &mut []) }
    let unsigned = Windows::sort(&[15, 6, 1], 3, 15, 3);
    run! { msm::sums_of_windows(&table, &unsigned, &mut sums, &mut [Point::IDENTITY; 4]) }
}
