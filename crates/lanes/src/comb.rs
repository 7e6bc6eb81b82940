//! Secret scalars times points, in constant time: signed combs.
//!
//! A comb writes a scalar as `TEETH` rows of equally many bits and handles one column
//! of bits at a time; with digits ±1 in place of 0 and 1 no column is zero, and half
//! a table serves for all (Feng, Zhu, Xu, Li, "Efficient Comb Elliptic Curve
//! Multiplication Methods Resistant to Power Analysis", 2005). The digits exist for
//! odd scalars; an even one gets L added, which the points of order L do not feel.
//!
//! The bits of a column are kept as masks with one bit for each lane. A table entry
//! is chosen by a tree of selections on these masks: no address and no branch
//! depends on a secret, and all entries are read.

use alloc::boxed::Box;

use once_cell::race::OnceBox;
use zeroize::{Zeroize, Zeroizing};

use crate::backend::Field;
use crate::backend::portable::Portable;
use crate::octet::{self, Octet, odd_multiples};
use crate::point::{AffineNiels, Cached, Completed, Extended, Point};
use crate::rows::{AffineRow, affine_row, load};

/// L = 2^252 + 27742317777372353535851937790883648493, little endian.
const L: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// The signs of the digits of up to 8 scalars: bit l of `plus[i]` is set if digit i
/// of lane l is +1, clear if it is -1. Scalar = Σ ±2^i.
struct Signs([u8; 256]);

impl Drop for Signs {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Signs {
    /// No digits yet. They are filled in where they are to stay: what is returned by
    /// value leaves a copy behind that nothing wipes.
    fn new() -> Self {
        Self([0; 256])
    }

    /// The digits of scalars below L. Lanes without one get digits that are worth
    /// nothing.
    #[inline(never)]
    fn fill<'a>(&mut self, scalars: impl Iterator<Item = &'a [u8; 32]>) {
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

    /// For two scalars in the halves of an octet: the elements whose digit `i[half]` is
    /// +1.
    #[inline(always)]
    fn halves(&self, i: [usize; 2]) -> u8 {
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
const COLUMNS: usize = 256 / TEETH;

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
            teeth[j] = tooth.to_extended();
        }
        // From P_3 - P_2 - P_1 - P_0 on, +2·P_j turns a sign.
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
        let mut table = [lowest.to_cached(); 8];
        for i in 1..8 {
            table[i] = entries[i].to_cached();
        }
        Self(table)
    }

    /// scalar·P, for the scalar with these signs.
    #[inline(always)]
    fn mul(&self, signs: &Signs) -> Completed<F> {
        let mut sum = Completed::<F>::identity();
        for column in (0..COLUMNS).rev() {
            sum = sum.to_double().double();
            let tooth = |j: usize| signs.0[column + COLUMNS * j];
            // Where the top tooth is -1, everything is negated.
            let negative = !tooth(3);
            let entry = choose(
                &self.0,
                [
                    tooth(0) ^ negative,
                    tooth(1) ^ negative,
                    tooth(2) ^ negative,
                ],
            );
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

/// x·P and k·P in each lane, for P of order L.
#[inline(always)]
pub(crate) fn mul_pair<F: Field>(
    point: Extended<F>,
    x: &[[u8; 32]],
    k: &[[u8; 32]],
) -> [Extended<F>; 2] {
    let comb = Comb::of(point);
    let mut signs = Signs::new();
    let mut products = [point; 2];
    for (product, scalars) in products.iter_mut().zip([x, k]) {
        signs.fill(scalars.iter());
        *product = comb.mul(&signs).to_extended();
    }
    products
}

/// The comb of the base point: 4 teeth as well, cut into `BLOCKS` tables so that
/// fewer doublings remain. `tables[b]` is the comb of 2^(BLOCK·b)·B.
const BLOCKS: usize = 8;
const BLOCK: usize = COLUMNS / BLOCKS;

fn base_combs() -> &'static [[AffineRow; 8]; BLOCKS] {
    static COMBS: OnceBox<[[AffineRow; 8]; BLOCKS]> = OnceBox::new();
    COMBS.get_or_init(|| {
        let mut combs = Box::new([[AffineRow::IDENTITY; 8]; BLOCKS]);
        let mut point = load::<Portable>(&[Point::BASE]);
        for comb in combs.iter_mut() {
            let mut teeth = [point; TEETH];
            for j in 1..TEETH {
                teeth[j] = teeth[j - 1];
                for _ in 0..COLUMNS {
                    teeth[j] = teeth[j].to_double().double().to_extended();
                }
            }
            for (index, row) in comb.iter_mut().enumerate() {
                let mut sum = teeth[3];
                for (j, tooth) in teeth[..3].iter().enumerate() {
                    let minus = if index >> j & 1 == 1 { 0 } else { 0xff };
                    let next = sum.to_add().add_signed(&tooth.to_cached(), minus);
                    sum = next.to_extended();
                }
                *row = affine_row(sum);
            }
            for _ in 0..BLOCK {
                point = point.to_double().double().to_extended();
            }
        }
        combs
    })
}

/// scalar·B in each lane.
#[inline(always)]
pub(crate) fn mul_base<F: Field>(scalars: &[[u8; 32]]) -> Extended<F> {
    let combs = base_combs();
    let mut signs = Signs::new();
    signs.fill(scalars.iter());
    let mut sum = Completed::<F>::identity();
    for column in (0..BLOCK).rev() {
        sum = sum.to_double().double();
        for (block, comb) in combs.iter().enumerate() {
            let tooth = |j: usize| signs.0[column + BLOCK * block + COLUMNS * j];
            let negative = !tooth(3);
            let masks = [
                tooth(0) ^ negative,
                tooth(1) ^ negative,
                tooth(2) ^ negative,
            ];
            let entry = AffineNiels::<F>::choose_row(comb, masks);
            sum = sum.to_add().add_affine(&entry, negative);
        }
    }
    sum.to_extended()
}

impl<F: Field> AffineNiels<F> {
    /// Row m_0 + 2·m_1 + 4·m_2 of a table that all lanes share, in each lane.
    #[inline(always)]
    fn choose_row(table: &[AffineRow; 8], masks: [u8; 3]) -> Self {
        let part = |row: &AffineRow, at: usize| five!(I => row.0[at + I]);
        let mut chosen = [F::splat([0; 5]); 3];
        for (i, chosen) in chosen.iter_mut().enumerate() {
            let mut level = [*chosen; 8];
            for (level, row) in level.iter_mut().zip(table) {
                *level = F::splat(part(row, 5 * i));
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

/// Entry m_0 + 2·m_1 + 4·m_2 in each half, and its negative where the top digit says
/// so: `digits` are four, least first.
#[inline(always)]
fn choose_octet<O: Octet>(
    table: &[octet::Cached<O>; 8],
    [low @ .., top]: [u8; 4],
) -> octet::Cached<O> {
    let negative = !top;
    let mut level = *table;
    for (j, digit) in low.into_iter().enumerate() {
        let mask = digit ^ negative;
        for i in 0..8 >> (j + 1) {
            level[i] = octet::Cached::select(mask, level[2 * i + 1], level[2 * i]);
        }
    }
    octet::Cached::select(negative, level[0].negative(), level[0])
}

/// x·P and k·P of one point of order L, side by side.
///
/// Four digits ±1 in a row are one digit ±1, ±3, … ±15: the windows of a ladder. The
/// comb would save nothing here, for its teeth come one after the other.
#[inline(always)]
pub(crate) fn mul_pair_alone<O: Octet>(point: &Point, x: &[u8; 32], k: &[u8; 32]) -> [Point; 2] {
    let table = odd_multiples::<O>([point, point]);
    let mut signs = Signs::new();
    signs.fill([x, k].into_iter());
    let mut sum = octet::Completed::<O>::identity();
    for window in (0..COLUMNS).rev() {
        for _ in 0..4 {
            sum = sum.products().to_double().double();
        }
        let digit = |j: usize| signs.halves([4 * window + j; 2]);
        let entry = choose_octet(&table, [digit(0), digit(1), digit(2), digit(3)]);
        sum = sum.products().to_add().add(&entry);
    }
    sum.products().store()
}

/// The combs of the base point for an octet: the lower half takes the first four
/// blocks, the upper half the others.
type OctetCombs = [[[[u64; 8]; 5]; 8]; BLOCKS / 2];

fn base_octet_combs() -> &'static OctetCombs {
    static COMBS: OnceBox<OctetCombs> = OnceBox::new();
    COMBS.get_or_init(|| {
        let mut octets = Box::new([[[[0; 8]; 5]; 8]; BLOCKS / 2]);
        for (block, comb) in base_combs().iter().enumerate() {
            let half = 4 * (block / (BLOCKS / 2));
            for (row, octet) in comb.iter().zip(&mut octets[block % (BLOCKS / 2)]) {
                // y - x, 2, y + x, 2d·xy: the order of `octet`, with Z = 1.
                for (limb, limbs) in octet.iter_mut().enumerate() {
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
        octets
    })
}

/// k·B, alone: the blocks of the comb in two halves.
#[inline(always)]
pub(crate) fn mul_base_alone<O: Octet>(k: &[u8; 32]) -> Point {
    let combs = base_octet_combs();
    let mut signs = Signs::new();
    signs.fill([k, k].into_iter());
    let mut sum = octet::Completed::<O>::identity();
    for column in (0..BLOCK).rev() {
        sum = sum.products().to_double().double();
        for (block, comb) in combs.iter().enumerate() {
            let lower = column + BLOCK * block;
            let digit = |j: usize| {
                let lower = lower + COLUMNS * j;
                signs.halves([lower, lower + COLUMNS / 2])
            };
            let mut table = [octet::Cached::<O>::load_lanes(&comb[0]); 8];
            for (entry, limbs) in table.iter_mut().zip(comb) {
                *entry = octet::Cached::load_lanes(limbs);
            }
            let entry = choose_octet(&table, [digit(0), digit(1), digit(2), digit(3)]);
            sum = sum.products().to_add().add(&entry);
        }
    }
    let [lower, upper] = sum.products().store();
    lower.plus(&upper)
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
