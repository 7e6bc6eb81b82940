//! Products and sums that are carried immediately, powers, and square roots.
//!
//! An exponentiation is a chain of dependent squarings, so it mostly waits for the multiplier. Therefore,
//! powers are computed for `N` vectors side by side. Two or three vectors keep the multiplier busy.

use super::constants::{SQRT_M1, ZERO};
use super::element::Field;

/// The product a·b, carried.
#[inline(always)]
pub fn mul<F: Field>(a: F, b: F) -> F {
    a.product(b)
}

/// The square a², carried.
#[inline(always)]
pub fn square<F: Field>(a: F) -> F {
    a.squared()
}

/// The sum a + b, carried.
#[inline(always)]
pub fn add<F: Field>(a: F, b: F) -> F {
    F::carry(F::add(a.widen(), b.widen()))
}

/// The difference a - b, carried.
#[inline(always)]
pub fn sub<F: Field>(a: F, b: F) -> F {
    F::carry(F::sub(a.widen(), b.widen()))
}

/// -a where the mask is set, else a.
#[inline(always)]
pub fn negate_if<F: Field>(mask: u8, a: F) -> F {
    F::select(mask, sub(F::splat(ZERO), a), a)
}

/// A mask, with bit l set if a and b are equal in lane l.
#[inline(always)]
pub fn equal<F: Field>(a: F, b: F) -> u8 {
    sub(a, b).is_zero()
}

/// a^(2^times) for N values side by side.
#[inline(always)]
fn squared_times<F: Field, const N: usize>(mut a: [F; N], times: u32) -> [F; N] {
    for _ in 0..times {
        for a in &mut a {
            *a = square(*a);
        }
    }
    a
}

#[inline(always)]
fn mul_each<F: Field, const N: usize>(a: [F; N], b: [F; N]) -> [F; N] {
    let mut out = a;
    for i in 0..N {
        out[i] = mul(a[i], b[i]);
    }
    out
}

/// The steps from a and a² to a^(2^250 - 1). A step (count, index) squares the latest power `count` times,
/// and multiplies the result by the power at `index`. Powers 0 to 3 are a, a², a^9 and a^11. Each later power
/// is a^(2^n - 1), with the n beside its step.
const CHAIN: [(u32, usize); 10] = [
    (2, 0),
    (0, 1),
    (1, 2),   // n = 5
    (5, 4),   // 10
    (10, 5),  // 20
    (20, 6),  // 40
    (10, 5),  // 50
    (50, 8),  // 100
    (100, 9), // 200
    (50, 8),  // 250
];

/// a^(2^250 - 1), the common part of the powers below. Each backend has its own compiled copy of this
/// function, which these powers call as [`Field::power_2_250_minus_1`].
#[inline(always)]
pub fn power_2_250_minus_1<F: Field, const N: usize>(a: [F; N]) -> [F; N] {
    // This is a loop, so that only one squaring and one product are compiled.
    let mut powers = [a; CHAIN.len() + 2];
    let mut last = squared_times(a, 1);
    powers[1] = last;
    for (i, (squarings, by)) in CHAIN.into_iter().enumerate() {
        last = mul_each(squared_times(last, squarings), powers[by]);
        powers[i + 2] = last;
    }
    last
}

/// a^((p-5)/8) = a^(2^252 - 3).
#[inline(always)]
fn power_p58<F: Field, const N: usize>(a: [F; N]) -> [F; N] {
    let ones_250 = F::power_2_250_minus_1(a);
    mul_each(squared_times(ones_250, 2), a)
}

/// The square root of u/v in each lane, as (mask, root): RFC 8032, section 5.1.3.
///
/// Where u/v is a square or 0, the mask is set and root² = u/v. Where it is neither, the mask is clear and
/// root² = √-1·u/v. Either of the two roots may be returned. Where v = 0 and u ≠ 0, the mask is clear.
#[inline(always)]
pub fn sqrt_ratio<F: Field, const N: usize>(u: [F; N], v: [F; N]) -> [(u8, F); N] {
    let v3 = mul_each(squared_times(v, 1), v);
    let v7 = mul_each(squared_times(v3, 1), v);
    let power = power_p58(mul_each(u, v7));
    let root = mul_each(mul_each(u, v3), power);
    let i = F::splat(SQRT_M1);
    let mut out = [(0, i); N];
    for k in 0..N {
        // v·root² is u times a fourth root of 1: 1, -1, √-1 or -√-1.
        let check = mul(v[k], square(root[k]));
        let ui = mul(u[k], i);
        let is_u = equal(check, u[k]);
        let is_minus_u = add(check, u[k]).is_zero();
        let is_minus_ui = add(check, ui).is_zero();
        let rotated = F::select(is_minus_u | is_minus_ui, mul(root[k], i), root[k]);
        out[k] = (is_u | is_minus_u, rotated);
    }
    out
}

/// a^((p-1)/4) = a^(2^253 - 5), the quartic character. It is 1 for fourth powers except 0.
#[inline(always)]
pub fn quartic_character<F: Field, const N: usize>(a: [F; N]) -> [F; N] {
    let ones_250 = F::power_2_250_minus_1(a);
    let a3 = mul_each(squared_times(a, 1), a);
    mul_each(squared_times(ones_250, 3), a3)
}
