//! Secret scalars times one point, or the base point, in constant time: the twin of the
//! `comb` above for few items.

use alloc::boxed::Box;

use super::multiples::odd_multiples;
use super::point::{Cached, Completed};
use crate::formulas::comb::{BLOCK, COLUMNS, Signs, base_combs};
use crate::formulas::eight::Eight;
use crate::formulas::lanes::{Lanes, Single};
use crate::formulas::point::Point;
use crate::formulas::rows::plus;
use crate::formulas::tables::{BLOCKS, CombsInEights};

/// Entry m_0 + 2·m_1 + 4·m_2 in each half, and the mask of those to subtract, where the top
/// digit is -1. The digits are masks, the least first.
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

/// x·P and y·Q for points of order L, side by side.
///
/// Four digits ±1 in a row are one digit ±1, ±3, … ±15, so this is a fixed-window method. A
/// comb would save nothing here, since its teeth are computed one after the other.
#[inline(always)]
pub fn mul_two<E: Eight>(points: [&Point; 2], scalars: [&[u8; 32]; 2]) -> [Point; 2] {
    let [table] = odd_multiples::<E, 1>([points]);
    let mut signs = Signs::new();
    signs.fill(scalars.into_iter());
    let mut sum = Completed::<E>::identity();
    for window in (0..COLUMNS).rev() {
        for _ in 0..4 {
            sum = sum.products().to_double().double();
        }
        let digit = |j: usize| signs.halves([4 * window + j; 2]);
        let (entry, negative) = choose(&table, [digit(0), digit(1), digit(2), digit(3)]);
        sum = sum.products().to_add().add_signed(&entry, negative);
    }
    sum.products().store()
}

/// The combs of the base point in eights.
fn base_combs_in_eights<S: Single>(radix: u32) -> &'static CombsInEights {
    S::tables().combs_in_eights.get_or_init(radix, || {
        let mut eights = Box::new([[[[0; 8]; 5]; 8]; BLOCKS / 2]);
        for (block, comb) in base_combs::<S>(radix).iter().enumerate() {
            let half = 4 * (block / (BLOCKS / 2));
            for (row, eight) in comb.iter().zip(&mut eights[block % (BLOCKS / 2)]) {
                // y - x, 2, y + x, 2d·xy: the order of `Cached`, with Z = 1.
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

/// k·B, alone: the blocks of the comb in two halves.
#[inline(always)]
pub fn mul_base<F: Lanes>(k: &[u8; 32]) -> Point {
    let combs = base_combs_in_eights::<F::One>(F::RADIX);
    let mut signs = Signs::new();
    signs.fill([k, k].into_iter());
    let mut sum = Completed::<F::Eight>::identity();
    for column in (0..BLOCK).rev() {
        sum = sum.products().to_double().double();
        for (block, comb) in combs.iter().enumerate() {
            let lower = column + BLOCK * block;
            let digit = |j: usize| {
                let lower = lower + COLUMNS * j;
                signs.halves([lower, lower + COLUMNS / 2])
            };
            let mut table = [Cached::load_lanes(&comb[0]); 8];
            for (entry, limbs) in table.iter_mut().zip(comb) {
                *entry = Cached::load_lanes(limbs);
            }
            let (entry, negative) = choose(&table, [digit(0), digit(1), digit(2), digit(3)]);
            sum = sum.products().to_add().add_signed(&entry, negative);
        }
    }
    let [lower, upper] = sum.products().store();
    plus::<F::One>(&lower, &upper)
}

#[inline(always)]
pub fn secret_mul_alone<F: Lanes>(p: &[Point], x: &[[u8; 32]], out: &mut [Point]) {
    for ((p, x), out) in p.chunks(2).zip(x.chunks(2)).zip(out.chunks_mut(2)) {
        // A last item without a partner fills both halves.
        let (p, x) = ([&p[0], &p[p.len() - 1]], [&x[0], &x[x.len() - 1]]);
        let both = mul_two::<F::Eight>(p, x);
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
        [*by_x, *by_k] = mul_two::<F::Eight>([p, p], [x, k]);
        *base_by_k = mul_base::<F>(k);
    }
}
