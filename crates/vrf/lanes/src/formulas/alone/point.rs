//! Two points in eight lanes, four coordinates each.
//!
//! The coordinates of a point are in the order (X, Z, Y, T). Every operation ends with four products:
//! X = E·F, Z = F·G, Y = G·H and T = H·E (see `formulas/point`). In this order, they are the products of the
//! vector (E, F, G, H) and the same vector rotated by one lane. An operation consists of two multiplications
//! of vectors with one carry between them.
//!
//! In WebAssembly, the operations are function calls, and so are the eight products of each multiplication of
//! vectors. Inlined copies of the operations would make the program that browsers load a tenth larger.

use crate::field::{Limbs, ONE, ZERO};
use crate::formulas::constants::TWO_D;
use crate::formulas::eight::Eight;
use crate::formulas::point::Point;
use crate::formulas::rows::AffineRow;

const TWO: Limbs = [2, 0, 0, 0, 0];

/// The argument of a shuffle that moves element `from[i]` of each half to place i.
const fn order(from: [i32; 4]) -> i32 {
    from[0] | from[1] << 2 | from[2] << 4 | from[3] << 6
}

/// The mask that has the bits of `half` in both halves.
const fn both(half: u8) -> u8 {
    half | half << 4
}

/// (X, Z, Y, T) of both points, uncarried.
#[derive(Clone, Copy)]
pub struct Products<E: Eight>(E::Wide);

/// (X, Z, X + Y, Y).
#[derive(Clone, Copy)]
pub struct ToDouble<E>(E);

/// (Y - X, Z, Y + X, T).
#[derive(Clone, Copy)]
pub struct ToAdd<E>(E);

/// (Y - X, 2Z, Y + X, 2d·T).
#[derive(Clone, Copy)]
pub struct Cached<E>(E);

/// (E, F, G, H).
#[derive(Clone, Copy)]
pub struct Completed<E>(E);

impl<E: Eight> Products<E> {
    #[inline(always)]
    pub fn load(points: [&Point; 2]) -> Self {
        let mut rows = [&ZERO; 8];
        for (point, rows) in points.into_iter().zip(rows.chunks_exact_mut(4)) {
            let (limbs, _) = point.0.as_chunks::<5>();
            for (row, at) in rows.iter_mut().zip([0, 2, 1, 3]) {
                *row = &limbs[at];
            }
        }
        Self(E::load(rows).widen())
    }

    #[inline(always)]
    pub fn store(self) -> [Point; 2] {
        let rows = E::carry(self.0).store();
        let mut points = [Point::IDENTITY; 2];
        for (point, rows) in points.iter_mut().zip(rows.chunks_exact(4)) {
            let (limbs, _) = point.0.as_chunks_mut::<5>();
            for (row, at) in rows.iter().zip([0, 2, 1, 3]) {
                limbs[at] = *row;
            }
        }
        points
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub fn to_double(self) -> ToDouble<E> {
        // (X, Z, X, Y), with Y added to the third element.
        let moved = E::shuffle_wide::<{ order([0, 1, 0, 2]) }>(self.0);
        ToDouble(E::carry(E::add_where(both(0b0100), moved, self.0)))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub fn to_add(self) -> ToAdd<E> {
        let swapped = E::shuffle_wide::<{ order([2, 1, 0, 3]) }>(self.0);
        let signed = E::negate_where(both(0b0001), self.0);
        ToAdd(E::carry(E::add_where(both(0b0101), signed, swapped)))
    }
}

impl<E: Eight> ToDouble<E> {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub fn double(self) -> Completed<E> {
        // The squares A = X², Z², W = (X + Y)² and B = Y².
        let squares = self.0.square();
        let added = E::shuffle_wide::<{ order([3, 0, 0, 0]) }>(squares);
        let subtracted = E::shuffle_wide::<{ order([2, 3, 3, 3]) }>(squares);
        let own = E::add_where(both(0b1011), E::zero(), squares);
        let own = E::add_where(both(0b1010), own, squares);
        // E = A + B - W, F = 2Z² + A - B, G = A - B, H = 2B + A - B, with the signs of
        // `point::ToDouble::double`. Squares that are moved between lanes are added or subtracted last.
        let sums = E::add(E::sub(own, subtracted), added);
        Completed(E::carry(sums))
    }
}

impl<E: Eight> ToAdd<E> {
    #[inline(always)]
    pub fn add(self, other: &Cached<E>) -> Completed<E> {
        self.add_signed(other, 0)
    }

    /// self - other in the halves where the mask is set, else self + other. Constant time.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub fn add_signed(self, other: &Cached<E>, negative: u8) -> Completed<E> {
        // Negating a point swaps Y - X and Y + X, and changes the sign of T, and so of C below.
        let swapped = other.0.shuffle::<{ order([2, 1, 0, 3]) }>();
        let other = E::select(negative, swapped, other.0);
        // A = (Y-X)·(Y'-X'), D = 2·Z·Z', B = (Y+X)·(Y'+X'), C = 2d·T·T'.
        let products = self.0.mul(other);
        let bd = E::shuffle_wide::<{ order([2, 1, 1, 2]) }>(products);
        let ac = E::shuffle_wide::<{ order([0, 3, 3, 0]) }>(products);
        // E = B - A, F = D - C, G = D + C, H = B + A.
        let minus = both(0b0011) ^ (both(0b0110) & negative);
        Completed(E::carry(E::add(bd, E::negate_where(minus, ac))))
    }

    #[inline(always)]
    pub fn to_cached(self) -> Cached<E> {
        let factors = E::load([&ONE, &TWO, &ONE, &TWO_D, &ONE, &TWO, &ONE, &TWO_D]);
        Cached(E::carry(self.0.mul(factors)))
    }
}

impl<E: Eight> Cached<E> {
    /// Loads the four values of two points. Limb i of value l, from 0 to 7, is `limbs[i][l]`.
    #[inline(always)]
    pub fn load_lanes(limbs: &[[u64; 8]; 5]) -> Self {
        Self(E::load_lanes(limbs))
    }

    /// Makes the second operand of two additions from the rows of two points.
    #[inline(always)]
    pub fn of_rows(rows: [&AffineRow; 2]) -> Self {
        let [first, second] = rows.map(|row| row.0.as_chunks::<5>().0);
        Self(E::load([
            &first[0], &TWO, &first[1], &first[2], &second[0], &TWO, &second[1], &second[2],
        ]))
    }

    /// Selects element l of `set` if bit l of the mask is set, else element l of `clear`. Constant time.
    #[inline(always)]
    pub fn select(mask: u8, set: Self, clear: Self) -> Self {
        Self(E::select(mask, set.0, clear.0))
    }
}

impl<E: Eight> Completed<E> {
    #[inline(always)]
    pub fn identity() -> Self {
        Self(E::load([&ZERO, &ONE, &ONE, &ONE, &ZERO, &ONE, &ONE, &ONE]))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    #[cfg_attr(target_family = "wasm", inline(never))]
    pub fn products(self) -> Products<E> {
        Products(self.0.mul(self.0.shuffle::<{ order([1, 2, 3, 0]) }>()))
    }
}
