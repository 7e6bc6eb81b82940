//! Multiples of a point, or of the base point, by secret scalars in constant time. For few items, this module
//! replaces `formulas/comb` and `formulas/base_comb`.

use alloc::boxed::Box;

use super::multiples::{ODD, odd_multiples};
use super::point::{Cached, Completed};
use crate::formulas::comb::Signs;
use crate::formulas::comb_shape::OF_EIGHTS;
use crate::formulas::eight::Eight;
use crate::formulas::lanes::{Lanes, Single};
use crate::formulas::point::Point;
use crate::formulas::rows::plus;
use crate::formulas::tables::CombsInEights;

/// The number of digits ±1 in a window. Together they form one digit ±1, ±3, … ±15.
const WIDTH: usize = 4;

/// The number of windows of a scalar.
const WINDOWS: usize = 64;

/// Chooses entry m_0 + 2·m_1 + 4·m_2 in each half of the lanes, where m_j is 1 if digit j equals the top
/// digit. Also returns the mask of the halves whose top digit is -1, because they subtract their entry. Each
/// digit is given as the mask of the halves where it is +1. The lowest digit comes first.
#[inline(always)]
fn choose<E: Eight>(table: &[Cached<E>; 8], [low @ .., top]: [u8; 4]) -> (Cached<E>, u8) {
    let negative = !top;
    let mut level = *table;
    for (j, digit) in low.into_iter().enumerate() {
        let mask = digit ^ negative;
        for i in 0..8 >> (j + 1) {
            level[i] = Cached::select(mask, level[2 * i + 1], level[2 * i]);
        }
    }
    (level[0], negative)
}

/// Computes x·P and y·Q side by side, for P and Q of order L, and does all operations of `beside`, if given.
///
/// Four consecutive digits ±1 form one digit ±1, ±3, … ±15, so this is a fixed-window method. A comb would
/// save nothing here: it needs multiples of P for its teeth, which must be computed one after the other.
#[inline(always)]
pub fn mul_two<E: Eight>(
    points: [&Point; 2],
    scalars: [&[u8; 32]; 2],
    mut beside: Option<&mut OfBase<E>>,
) -> [Point; 2] {
    let [table] = odd_multiples::<E, 1>([points]);
    const { assert!(ODD == 1 << (WIDTH - 1) && OPERATIONS <= WINDOWS) };
    let mut signs = Signs::new();
    signs.fill(WIDTH * WINDOWS, scalars.into_iter());
    let mut sum = Completed::<E>::identity();
    for window in (0..WINDOWS).rev() {
        for place in 0..WIDTH {
            match &mut beside {
                Some(beside) if place == 0 => sum = beside.step(sum),
                _ => sum = sum.products().to_double().double(),
            }
        }
        let mut digits = [0; WIDTH];
        for (j, digit) in digits.iter_mut().enumerate() {
            *digit = signs.halves([WIDTH * window + j; 2]);
        }
        let (entry, negative) = choose(&table, digits);
        sum = sum.products().to_add().add_signed(&entry, negative);
    }
    sum.products().store()
}

/// The combs of the base point, laid out for vectors of eight elements.
fn base_combs_in_eights<S: Single>(radix: u32) -> &'static CombsInEights {
    S::tables().combs_in_eights.get_or_init(radix, || {
        let mut eights = Box::new([[[[0; 8]; 5]; OF_EIGHTS.entries()]; BLOCKS]);
        for (block, rows) in OF_EIGHTS.rows::<S>(radix).into_iter().enumerate() {
            let half = 4 * (block / BLOCKS);
            for (row, eight) in rows.iter().zip(&mut eights[block % BLOCKS]) {
                // The values are in the order of `Cached`, with Z = 1: y - x, 2, y + x, 2d·xy.
                for (limb, limbs) in eight.iter_mut().enumerate() {
                    let two = if limb == 0 { 2 } else { 0 };
                    limbs[half..half + 4].copy_from_slice(&[
                        row.0[limb],
                        two,
                        row.0[5 + limb],
                        row.0[10 + limb],
                    ]);
                }
            }
        }
        eights
    })
}

/// The number of the comb's blocks in each half of the lanes.
const BLOCKS: usize = OF_EIGHTS.blocks / 2;

/// The number of operations that compute k·B: for each column of a block, a doubling and `BLOCKS` additions.
const OPERATIONS: usize = (1 + BLOCKS) * OF_EIGHTS.block;

/// The stepwise computation of k·B for one k. Each half of the lanes adds entries of half of the blocks.
pub struct OfBase<E> {
    combs: &'static CombsInEights,
    signs: Signs,
    sum: Completed<E>,
    /// The number of operations that are left.
    left: usize,
}

impl<E: Eight> OfBase<E> {
    /// Returns a computation before its first operation. The next call must be [`fill`](Self::fill), which
    /// writes the digits in place (see [`Signs::new`]).
    #[inline(always)]
    pub fn new<F: Lanes<Eight = E>>() -> Self {
        Self {
            combs: base_combs_in_eights::<F::One>(F::RADIX),
            signs: Signs::new(),
            sum: Completed::identity(),
            left: OPERATIONS,
        }
    }

    /// Writes the digits of k.
    #[inline(always)]
    pub fn fill(&mut self, k: &[u8; 32]) {
        self.signs.fill(OF_EIGHTS.digits(), [k, k].into_iter());
    }

    /// Doubles `other`, and side by side with this, does the next operation of k·B if one is left.
    #[inline(always)]
    fn step(&mut self, other: Completed<E>) -> Completed<E> {
        if self.left == 0 {
            return other.products().to_double().double();
        }
        self.left -= 1;
        let (column, block) = (self.left / (1 + BLOCKS), self.left % (1 + BLOCKS));
        if block == BLOCKS {
            let (other, sum) = (other.products(), self.sum.products());
            let (other, sum) = (other.to_double(), sum.to_double());
            let (other, sum) = (other.double(), sum.double());
            self.sum = sum;
            return other;
        }
        let lower = column + OF_EIGHTS.block * block;
        let mut digits = [0; OF_EIGHTS.choices + 1];
        for (j, digit) in digits.iter_mut().enumerate() {
            let lower = lower + OF_EIGHTS.columns() * j;
            *digit = self.signs.halves([lower, lower + OF_EIGHTS.block * BLOCKS]);
        }
        let mut table = [Cached::load_lanes(&self.combs[block][0]); OF_EIGHTS.entries()];
        for (entry, limbs) in table.iter_mut().zip(&self.combs[block]) {
            *entry = Cached::load_lanes(limbs);
        }
        let (other, sum) = (other.products(), self.sum.products());
        let (entry, negative) = choose(&table, digits);
        let (other, sum) = (other.to_double(), sum.to_add());
        let (other, sum) = (other.double(), sum.add_signed(&entry, negative));
        self.sum = sum;
        other
    }

    /// Returns k·B after all operations.
    #[inline(always)]
    pub fn finish<F: Lanes<Eight = E>>(&self) -> Point {
        debug_assert_eq!(self.left, 0, "not enough steps");
        let [lower, upper] = self.sum.products().store();
        plus::<F::One>(&lower, &upper)
    }
}

#[inline(always)]
pub fn secret_mul_alone<F: Lanes>(p: &[Point], x: &[[u8; 32]], out: &mut [Point]) {
    for ((p, x), out) in p.chunks(2).zip(x.chunks(2)).zip(out.chunks_mut(2)) {
        // If the last item has no partner, it fills both halves.
        let (p, x) = ([&p[0], &p[p.len() - 1]], [&x[0], &x[x.len() - 1]]);
        let both = mul_two::<F::Eight>(p, x, None);
        out.copy_from_slice(&both[..out.len()]);
    }
}

#[inline(always)]
pub fn secret_prove_alone<F: Lanes>(
    p: &[Point],
    x: &[[u8; 32]],
    k: &[[u8; 32]],
    by_x: &mut [Point],
    by_k: &mut [Point],
    base_by_k: &mut [Point],
) {
    for (((((p, x), k), by_x), by_k), base_by_k) in
        p.iter().zip(x).zip(k).zip(by_x).zip(by_k).zip(base_by_k)
    {
        let mut of_base = OfBase::new::<F>();
        of_base.fill(k);
        [*by_x, *by_k] = mul_two([p, p], [x, k], Some(&mut of_base));
        *base_by_k = of_base.finish::<F>();
    }
}
