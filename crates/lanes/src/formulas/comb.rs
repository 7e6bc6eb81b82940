//! Secret scalars times points, in constant time: signed combs.
//!
//! A comb writes a scalar as `TEETH` rows of equally many bits and handles one column
//! of bits at a time; with digits ±1 in place of 0 and 1 no column is zero, and half
//! a table serves for all (Feng, Zhu, Xu, Li, "Efficient Comb Elliptic Curve
//! Multiplication Methods Resistant to Power Analysis", 2005). The digits exist for
//! odd scalars; L is added to an even one, which changes no multiple of a point of order L.
//!
//! The bits of a column are masks with one bit for each lane. A tree of selections on these
//! masks chooses a table entry: all entries are read, and no address and no branch depends
//! on a secret.

use alloc::boxed::Box;
use core::slice;

use zeroize::{Zeroize, Zeroizing};

use crate::field::{Called, Field, Word, ZERO};
use crate::formulas::encoding::normalize;
use crate::formulas::lanes::{Lanes, Single};
use crate::formulas::point::{AffineNiels, Cached, Completed, Extended, Point};
use crate::formulas::rows::{AffineRow, load, prepare, store};
use crate::formulas::tables::{BLOCKS, Combs};

/// L = 2^252 + 27742317777372353535851937790883648493, little endian.
const L: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// The signs of the digits of up to 8 scalars: bit l of `plus[i]` is set if digit i
/// of lane l is +1, clear if it is -1. Scalar = Σ ±2^i.
pub struct Signs([u8; 256]);

impl Drop for Signs {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Signs {
    /// No digits yet. `fill` writes them in place: returned by value they would leave a copy
    /// behind that nothing wipes.
    pub fn new() -> Self {
        Self([0; 256])
    }

    /// The digits of scalars below L. The digits of lanes without a scalar have no meaning.
    #[inline(never)]
    pub fn fill<'a>(&mut self, scalars: impl Iterator<Item = &'a [u8; 32]>) {
        // halves[l]: Σ (2·t_i - 1)·2^i = scalar for t = (scalar + 2^256 - 1)/2, so the
        // bits of t are those of the scalar moved down by one, with the top one set.
        let mut halves = Zeroizing::new([[0u8; 32]; 8]);
        for (half, scalar) in halves.iter_mut().zip(scalars) {
            // Odd: plus L if even. At most 2·L, below 2^254.
            let even = (scalar[0] & 1) ^ 1;
            let mask = even.wrapping_neg();
            let mut carry = 0u16;
            for ((half, byte), l) in half.iter_mut().zip(scalar).zip(L) {
                carry += u16::from(*byte) + u16::from(l & mask);
                *half = carry as u8;
                carry >>= 8;
            }
            for i in 0..31 {
                half[i] = half[i] >> 1 | half[i + 1] << 7;
            }
            half[31] = half[31] >> 1 | 0x80;
        }
        for (i, plus) in self.0.chunks_exact_mut(8).enumerate() {
            let mut lanes = Zeroizing::new([0; 8]);
            for (lane, half) in lanes.iter_mut().zip(halves.iter()) {
                *lane = half[i];
            }
            plus.copy_from_slice(&transpose(*lanes));
        }
    }

    /// For the column whose lowest tooth has digit `first`: the masks that choose its table entry,
    /// and the mask of its sign. A top tooth of -1 negates the whole column.
    #[inline(always)]
    fn column(&self, first: usize) -> ([u8; 3], u8) {
        let tooth = |j: usize| self.0[first + COLUMNS * j];
        let negative = !tooth(3);
        let masks = [
            tooth(0) ^ negative,
            tooth(1) ^ negative,
            tooth(2) ^ negative,
        ];
        (masks, negative)
    }

    /// For two scalars, one in each half of eight lanes: the lanes whose digit `i[half]` is
    /// +1.
    #[inline(always)]
    pub fn halves(&self, i: [usize; 2]) -> u8 {
        let [lower, upper] = [self.0[i[0]] & 1, self.0[i[1]] >> 1 & 1];
        lower.wrapping_neg() & 0x0f | upper.wrapping_neg() & 0xf0
    }
}

/// Bit l of byte i from bit i of byte l: eight bytes as an 8×8 matrix of bits (Warren,
/// "Hacker's Delight", section 7-3).
fn transpose(bytes: [u8; 8]) -> [u8; 8] {
    let mut bits = u64::from_le_bytes(bytes);
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let swapped = (bits ^ bits >> shift) & mask;
        bits ^= swapped ^ swapped << shift;
    }
    bits.to_le_bytes()
}

/// The comb of one point in each lane: 4 teeth, 64 columns.
const TEETH: usize = 4;
pub const COLUMNS: usize = 256 / TEETH;

/// P_3 ± P_2 ± P_1 ± P_0 with P_j = 2^(64·j)·P; bit j of the index is set for +P_j.
struct Comb<F>([Cached<F>; 8]);

impl<F: Field> Comb<F> {
    #[inline(always)]
    fn of(point: Extended<F>) -> Self {
        let mut teeth = [point; TEETH];
        for j in 1..TEETH {
            let mut tooth = teeth[j - 1].to_double().double();
            for _ in 1..COLUMNS {
                tooth = tooth.to_double().double();
            }
            teeth[j] = tooth.called().to_extended().inlined();
        }
        let mut called = [teeth[0].called(); TEETH];
        for j in 1..TEETH {
            called[j] = teeth[j].called();
        }
        let teeth = called;
        // Start at P_3 - P_2 - P_1 - P_0; adding 2·P_j flips one sign.
        let mut lowest = teeth[3];
        for tooth in &teeth[..3] {
            let minus = lowest.to_add().add_signed(&tooth.to_cached(), 0xff);
            lowest = minus.to_extended();
        }
        let mut entries = [lowest; 8];
        for j in 0..3 {
            let twice = teeth[j].to_double().double().to_extended().to_cached();
            for low in 0..1 << j {
                entries[low | 1 << j] = entries[low].to_add().add(&twice).to_extended();
            }
        }
        let mut table = [lowest.to_cached().inlined(); 8];
        for i in 1..8 {
            table[i] = entries[i].to_cached().inlined();
        }
        Self(table)
    }

    /// scalar·P, for the scalar with these signs.
    #[inline(always)]
    fn mul(&self, signs: &Signs) -> Completed<F> {
        let mut sum = Completed::<F>::identity();
        for column in (0..COLUMNS).rev() {
            sum = sum.to_double().double();
            let (masks, negative) = signs.column(column);
            let entry = choose(&self.0, masks);
            sum = sum.to_add().add_signed(&entry, negative);
        }
        sum
    }
}

/// Entry m_0 + 2·m_1 + 4·m_2 in each lane.
#[inline(always)]
fn choose<F: Field>(table: &[Cached<F>; 8], masks: [u8; 3]) -> Cached<F> {
    let mut level = *table;
    for (j, mask) in masks.into_iter().enumerate() {
        for i in 0..8 >> (j + 1) {
            level[i] = Cached::select(mask, level[2 * i + 1], level[2 * i]);
        }
    }
    level[0]
}

/// The columns that one of the tables serves that the comb of the base point is cut into.
pub const BLOCK: usize = COLUMNS / BLOCKS;

/// The comb of the base point: 4 teeth as well, cut into tables so that fewer doublings remain.
/// Table b is the comb of 2^(BLOCK·b)·B. Each radix has combs of its own.
pub fn base_combs<S: Single>(radix: u32) -> &'static Combs {
    S::tables().combs.get_or_init(radix, || {
        let mut combs = Box::new([[AffineRow::IDENTITY; 8]; BLOCKS]);
        let mut point = load::<Called<S>>(&[Point::BASE]);
        for comb in combs.iter_mut() {
            let mut teeth = [point; TEETH];
            for j in 1..TEETH {
                teeth[j] = teeth[j - 1];
                for _ in 0..COLUMNS {
                    teeth[j] = teeth[j].to_double().double().to_extended();
                }
            }
            let mut sums = [Point::IDENTITY; 8];
            for (index, point) in sums.iter_mut().enumerate() {
                let mut sum = teeth[3];
                for (j, tooth) in teeth[..3].iter().enumerate() {
                    let minus = if index >> j & 1 == 1 { 0 } else { 0xff };
                    let next = sum.to_add().add_signed(&tooth.to_cached(), minus);
                    sum = next.to_extended();
                }
                store(sum, slice::from_mut(point));
            }
            normalize::<S>(&mut sums);
            prepare::<S>(&sums, comb);
            *comb = comb.map(|row| row.to_radix(radix));
            for _ in 0..BLOCK {
                point = point.to_double().double().to_extended();
            }
        }
        combs
    })
}

/// scalar·B in each lane.
#[inline(always)]
fn mul_base<F: Lanes>(scalars: &[[u8; 32]]) -> Completed<F> {
    let combs = base_combs::<F::One>(F::RADIX);
    let mut signs = Signs::new();
    signs.fill(scalars.iter());
    let mut sum = Completed::<F>::identity();
    for column in (0..BLOCK).rev() {
        sum = sum.to_double().double();
        for (block, comb) in combs.iter().enumerate() {
            let (masks, negative) = signs.column(column + BLOCK * block);
            let entry = AffineNiels::<F>::choose_row(comb, masks);
            sum = sum.to_add().add_affine(&entry, negative);
        }
    }
    sum
}

impl<F: Field> AffineNiels<F> {
    /// Row m_0 + 2·m_1 + 4·m_2 of a table that all lanes share, in each lane.
    #[inline(always)]
    fn choose_row(table: &[AffineRow; 8], masks: [u8; 3]) -> Self {
        let mut chosen = [F::splat(ZERO); 3];
        for (i, chosen) in chosen.iter_mut().enumerate() {
            let mut level = [*chosen; 8];
            for (level, row) in level.iter_mut().zip(table) {
                *level = F::from_row(unroll!(5, I => F::Word::splat(row.0[5 * i + I])));
            }
            for (j, mask) in masks.into_iter().enumerate() {
                for i in 0..8 >> (j + 1) {
                    level[i] = F::select(mask, level[2 * i + 1], level[2 * i]);
                }
            }
            *chosen = level[0];
        }
        let [y_minus_x, y_plus_x, xy2d] = chosen;
        Self {
            y_minus_x,
            y_plus_x,
            xy2d,
        }
    }
}

/// For each list of scalars, `out[list][i]` = `scalars[list][i]`·P_i. The lists share the combs.
#[inline(always)]
pub fn secret_mul<F: Field>(p: &[Point], scalars: &[&[[u8; 32]]], out: &mut [&mut [Point]]) {
    for (chunk, p) in p.chunks(F::LANES).enumerate() {
        let comb = Comb::of(load::<F>(p));
        let items = chunk * F::LANES..chunk * F::LANES + p.len();
        for (scalars, out) in scalars.iter().zip(out.iter_mut()) {
            let mut signs = Signs::new();
            signs.fill(scalars[items.clone()].iter());
            let product = comb.mul(&signs).called().to_extended();
            store(product, &mut out[items.clone()]);
        }
    }
}

#[inline(always)]
pub fn secret_mul_base<F: Lanes>(k: &[[u8; 32]], out: &mut [Point]) {
    for (k, out) in k.chunks(F::LANES).zip(out.chunks_mut(F::LANES)) {
        store(mul_base::<F>(k).called().to_extended(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    #[test]
    fn signs_add_up() {
        let mut below_l = L;
        below_l[0] -= 1;
        let scalars = [
            [0; 32], [1; 32], [0x0e; 32], below_l, [0x0f; 32], [0x08; 32],
        ];
        let mut signs = Signs::new();
        signs.fill(scalars.iter());
        for (lane, scalar) in scalars.iter().enumerate() {
            let digit = |plus: &u8| 2 * i32::from(plus >> lane & 1) - 1;
            let sum = signs.0.iter().rev();
            let sum = sum.fold(BigInt::from(0), |sum, plus| (sum << 1) + digit(plus));
            let integer = |bytes| BigInt::from_bytes_le(num_bigint::Sign::Plus, bytes);
            let even = if scalar[0] % 2 == 0 { 1 } else { 0 };
            assert_eq!(sum, integer(scalar) + integer(&L) * even);
        }
    }
}
