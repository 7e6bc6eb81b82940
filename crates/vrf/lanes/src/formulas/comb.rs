//! Multiples of points by secret scalars, in constant time, with signed combs.
//!
//! A comb writes a scalar as `TEETH` rows of equally many bits, and handles one column of bits at a time. If
//! the digits are ±1 instead of 0 and 1, no column is zero, and half of the table is enough, because the
//! other entries are its negatives (Feng, Zhu, Xu, Li, "Efficient Comb Elliptic Curve Multiplication
//! Methods Resistant to Power Analysis", 2005). Only odd scalars have such digits. So L is added to an
//! even scalar, which does not change its multiple of a point of order L.
//!
//! The bits of a column are masks with one bit for each lane. These masks control a tree of
//! selections, which chooses a table entry. All entries are read, and no address or branch depends
//! on a secret. The comb of the base point is in `base_comb`.

use zeroize::{Zeroize, Zeroizing};

use crate::field::{Called, Field, ONE, ZERO, add, invert_all, mul, sub};
use crate::formulas::constants::TWO_D;
use crate::formulas::point::{AffineNiels, Completed, Extended, Point};
use crate::formulas::rows::{load, store};
use crate::tuning::COMBS_TOGETHER;

/// L = 2^252 + 27742317777372353535851937790883648493, little endian.
const L: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// The largest number of digits of a scalar.
const MOST_DIGITS: usize = 264;

/// The signs of the digits of up to 8 scalars. Bit l of byte i is set if digit i of lane l is +1,
/// and clear if it is -1. The scalar of a lane is Σ ±2^i.
pub struct Signs([u8; MOST_DIGITS]);

impl Drop for Signs {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Signs {
    /// Signs without digits. [`fill`](Self::fill) writes the digits in place: signs that are
    /// returned by value would leave a copy in memory that nothing wipes.
    pub fn new() -> Self {
        Self([0; MOST_DIGITS])
    }

    /// Writes the `count` digits of each scalar, where `count` is at least 256 and the scalars are
    /// below L. The digits of lanes without a scalar have no meaning.
    #[inline(never)]
    pub fn fill<'a>(&mut self, count: usize, scalars: impl Iterator<Item = &'a [u8; 32]>) {
        // Let t = (scalar + 2^count - 1)/2, with the bits t_i. Then scalar = Σ (2·t_i - 1)·2^i, so t_i is the
        // sign of digit i. As the scalar is odd, t is (scalar >> 1) + 2^(count-1). `halves` has scalar >> 1.
        let mut halves = Zeroizing::new([[0u8; 32]; 8]);
        for (half, scalar) in halves.iter_mut().zip(scalars) {
            // Adds L to the scalar if it is even. The result is odd and at most 2·L, which is below 2^254.
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
            half[31] >>= 1;
        }
        for (i, plus) in self.0[..256].chunks_exact_mut(8).enumerate() {
            let mut lanes = Zeroizing::new([0; 8]);
            for (lane, half) in lanes.iter_mut().zip(halves.iter()) {
                *lane = half[i];
            }
            plus.copy_from_slice(&transpose(*lanes));
        }
        self.0[count - 1] = 0xff;
    }

    /// The masks that choose the table entry of a column, and the mask of the lanes that subtract the entry,
    /// because their top tooth is -1. These lanes choose the entry of the negated digits. The lowest tooth
    /// is the digit at index `first`, and N further teeth follow at intervals of `apart` digits.
    #[inline(always)]
    pub fn column<const N: usize>(&self, first: usize, apart: usize) -> ([u8; N], u8) {
        let negative = !self.0[first + apart * N];
        let mut masks = [negative; N];
        for (j, mask) in masks.iter_mut().enumerate() {
            *mask ^= self.0[first + apart * j];
        }
        (masks, negative)
    }

    /// A mask of eight lanes that two scalars share: scalar 0 has the lower half, scalar 1 the upper half.
    /// All four lanes of a half are set if the digit of its scalar at index `i[half]` is +1.
    #[inline(always)]
    pub fn halves(&self, i: [usize; 2]) -> u8 {
        let [lower, upper] = [self.0[i[0]] & 1, self.0[i[1]] >> 1 & 1];
        lower.wrapping_neg() & 0x0f | upper.wrapping_neg() & 0xf0
    }
}

/// Transposes eight bytes as an 8×8 matrix of bits: bit i of byte l becomes bit l of byte i
/// (Warren, "Hacker's Delight", section 7-3).
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

impl<F: Field> AffineNiels<F> {
    #[inline(always)]
    pub fn identity() -> Self {
        Self {
            y_minus_x: F::splat(ONE),
            y_plus_x: F::splat(ONE),
            xy2d: F::splat(ZERO),
        }
    }

    /// Selects in each lane l the entry of `set` if bit l of the mask is set, else the entry of `clear`.
    #[inline(always)]
    pub fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self {
            y_minus_x: F::select(mask, set.y_minus_x, clear.y_minus_x),
            y_plus_x: F::select(mask, set.y_plus_x, clear.y_plus_x),
            xy2d: F::select(mask, set.xy2d, clear.xy2d),
        }
    }
}

/// The number of teeth of a comb. Each tooth has 64 columns.
const TEETH: usize = 4;
pub const COLUMNS: usize = 256 / TEETH;

/// The number of entries of a comb.
const ENTRIES: usize = 1 << (TEETH - 1);

/// X and Y of two comb entries that differ only in the sign of P_0 (see `Comb`). The entry with -P_0 comes
/// first. Both entries have the same Z.
type Pair<F> = [[F; 2]; 2];

/// Computes the entries of a comb. The Z of each pair is written to `z`.
#[inline(always)]
fn entries<F: Field>(point: Extended<F>, z: &mut [Called<F>]) -> [Pair<Called<F>>; ENTRIES / 2] {
    let mut teeth = [point.called(); TEETH];
    for j in 1..TEETH {
        let mut tooth = teeth[j - 1].inlined().to_double().double();
        for _ in 1..COLUMNS {
            tooth = tooth.to_double().double();
        }
        teeth[j] = tooth.called().to_extended();
    }
    // At first, the only sum is P_3. Each further tooth doubles the number of sums.
    let mut sums = [teeth[TEETH - 1]; ENTRIES / 2];
    for j in (1..TEETH - 1).rev() {
        let tooth = teeth[j].to_cached();
        for low in (0..ENTRIES / 2).step_by(1 << j) {
            let [plus, minus] = sums[low].to_add().add_and_subtract(&tooth);
            sums[low] = minus.to_extended();
            sums[low | 1 << (j - 1)] = plus.to_extended();
        }
    }
    let tooth = teeth[0].to_cached();
    let zero = Called(F::splat(ZERO));
    let mut pairs = [[[zero; 2]; 2]; ENTRIES / 2];
    for ((pair, sum), z) in pairs.iter_mut().zip(sums).zip(z) {
        let [plus, minus] = sum.to_add().add_and_subtract(&tooth);
        *pair = [[minus.x(), minus.y()], [plus.x(), plus.y()]];
        *z = plus.z();
    }
    pairs
}

/// The points P_3 ± P_2 ± P_1 ± P_0, where P_j = 2^(64·j)·P. Bit j of a point's index is set if the
/// sign of P_j is +.
struct Comb<F>([AffineNiels<F>; ENTRIES]);

impl<F: Field> Comb<F> {
    /// Makes the comb from its entries, given the inverse of each pair's Z.
    #[inline(always)]
    fn of(pairs: &[Pair<Called<F>>; ENTRIES / 2], inverses: &[Called<F>]) -> Self {
        let mut table = [AffineNiels::identity(); ENTRIES];
        let of_pairs = table.chunks_exact_mut(2).zip(pairs).zip(inverses);
        for ((table, pair), inverse) in of_pairs {
            for (entry, [x, y]) in table.iter_mut().zip(pair) {
                let (x, y) = (mul(*x, *inverse), mul(*y, *inverse));
                *entry = AffineNiels {
                    y_minus_x: sub(y, x).0,
                    y_plus_x: add(y, x).0,
                    xy2d: mul(mul(x, y), Called::splat(TWO_D)).0,
                };
            }
        }
        Self(table)
    }

    /// scalar·P in each lane, for the scalars whose digits have these signs.
    #[inline(always)]
    fn mul(&self, signs: &Signs) -> Completed<F> {
        let mut sum = Completed::<F>::identity();
        for column in (0..COLUMNS).rev() {
            sum = sum.to_double().double();
            let (masks, negative) = signs.column(column, COLUMNS);
            let entry = choose(&self.0, masks);
            sum = sum.to_add().add_affine(&entry, negative);
        }
        sum
    }
}

/// Chooses entry m_0 + 2·m_1 + 4·m_2 in each lane, where m_j is the lane's bit of mask j.
#[inline(always)]
fn choose<F: Field>(table: &[AffineNiels<F>; ENTRIES], masks: [u8; TEETH - 1]) -> AffineNiels<F> {
    let mut level = *table;
    for (j, mask) in masks.into_iter().enumerate() {
        for i in 0..ENTRIES >> (j + 1) {
            level[i] = AffineNiels::select(mask, level[2 * i + 1], level[2 * i]);
        }
    }
    level[0]
}

/// Computes `out[list][i]` = `scalars[list][i]`·P_i for each list of scalars. The lists share the
/// combs. Several vectors of points share the inversion that makes Z = 1 in all entries.
#[inline(always)]
pub fn secret_mul<F: Field>(p: &[Point], scalars: &[&[[u8; 32]]], out: &mut [&mut [Point]]) {
    if p.is_empty() {
        // Returns early, because writing the zeros below takes time.
        return;
    }
    let zero = Called(F::splat(ZERO));
    let mut pairs = [[[[zero; 2]; 2]; ENTRIES / 2]; COMBS_TOGETHER];
    let mut inverses = [zero; ENTRIES / 2 * COMBS_TOGETHER];
    let mut scratch = inverses;
    for (first, p) in p.chunks(COMBS_TOGETHER * F::LANES).enumerate() {
        let vectors = p.chunks(F::LANES).len();
        let of_all = pairs.iter_mut().zip(inverses.chunks_exact_mut(ENTRIES / 2));
        for ((pairs, z), p) in of_all.zip(p.chunks(F::LANES)) {
            *pairs = entries(load::<F>(p), z);
        }
        let used = ..ENTRIES / 2 * vectors;
        invert_all(&mut inverses[used], F::LANES, &mut scratch[used]);
        let combs = pairs.iter().zip(inverses.chunks_exact(ENTRIES / 2));
        for (vector, ((pairs, inverses), p)) in combs.zip(p.chunks(F::LANES)).enumerate() {
            let comb = Comb::of(pairs, inverses);
            let from = (first * COMBS_TOGETHER + vector) * F::LANES;
            let items = from..from + p.len();
            for (scalars, out) in scalars.iter().zip(out.iter_mut()) {
                let mut signs = Signs::new();
                signs.fill(256, scalars[items.clone()].iter());
                let product = comb.mul(&signs).called().to_extended();
                store(product, &mut out[items.clone()]);
            }
        }
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
        for count in 256..=MOST_DIGITS {
            let mut signs = Signs::new();
            signs.fill(count, scalars.iter());
            for (lane, scalar) in scalars.iter().enumerate() {
                let digit = |plus: &u8| 2 * i32::from(plus >> lane & 1) - 1;
                let sum = signs.0[..count].iter().rev();
                let sum = sum.fold(BigInt::from(0), |sum, plus| (sum << 1) + digit(plus));
                let integer = |bytes| BigInt::from_bytes_le(num_bigint::Sign::Plus, bytes);
                let even = if scalar[0] % 2 == 0 { 1 } else { 0 };
                assert_eq!(sum, integer(scalar) + integer(&L) * even);
            }
        }
    }
}
