//! Products in columns of 128 bits, for processors that multiply 64 by 64 bits.
//!
//! The columns are 128 bits wide, so every product is carried immediately. Therefore wide limbs are below
//! 2^56, and a later carry moves only a few bits.
//!
//! The lowest column is the largest. It is the sum of one product of two limbs and 19 times each of the four
//! products that wrapped around: at most 77·(2^51 + 2^32)² < 2^109. The highest column is the sum of five
//! products, which is below 2^105. Its carry is multiplied by 19 and added to the lowest limb.

use super::limbs::{LOW_51, Limbs, multiple_of_p};
use super::multiply::Multiply;
use super::word::Wide128;

/// Multiplies in columns of 128 bits.
#[derive(Clone, Copy)]
pub struct Columns128;

impl Multiply for Columns128 {
    type Word = u64;
    const WIDE: u64 = 1 << 56;
    /// The limbs of the bias are at least 2^53 - 2^7.
    const BIAS: Limbs = multiple_of_p(2);

    #[inline(always)]
    fn product(a: &Limbs, b: &Limbs) -> Limbs {
        product(*a, *b)
    }

    #[inline(always)]
    fn square(a: &Limbs) -> Limbs {
        square(*a)
    }

    #[inline(always)]
    fn carry_product(product: Limbs) -> Limbs {
        product
    }
}

impl Wide128 for u64 {
    type Sum = u128;

    #[inline(always)]
    fn product(self, other: Self) -> u128 {
        u128::from(self) * u128::from(other)
    }

    #[inline(always)]
    fn add_sums(a: u128, b: u128) -> u128 {
        a.wrapping_add(b)
    }

    #[inline(always)]
    fn shift_sum_right<const BITS: i32>(a: u128) -> u128 {
        a >> BITS
    }

    #[inline(always)]
    fn to_sum(self) -> u128 {
        self.into()
    }

    #[inline(always)]
    fn low(a: u128) -> Self {
        a as u64
    }

    fn sum_below<const BITS: i32>(a: u128) -> bool {
        a >> BITS == 0
    }
}

/// Carries the columns of a product to limbs below 2^51 + 2^13.
#[inline(always)]
fn carry_columns<W: Wide128>(mut c: [W::Sum; 5]) -> [W; 5] {
    if W::CHECKED {
        assert!(c[..4].iter().all(|&column| W::sum_below::<109>(column)));
        assert!(W::sum_below::<105>(c[4]));
    }
    let mut out = [W::splat(0); 5];
    for i in 0..4 {
        c[i + 1] = W::add_sums(c[i + 1], W::shift_sum_right::<51>(c[i]));
        out[i] = W::low(c[i]).and(W::splat(LOW_51));
    }
    out[4] = W::low(c[4]).and(W::splat(LOW_51));
    // The top carry is below 2^54, so 19 times the top carry is below 2^59.
    let top = W::low(W::shift_sum_right::<51>(c[4]));
    out[0] = out[0].add(top.times_19());
    out[1] = out[1].add(out[0].shift_right::<51>());
    out[0] = out[0].and(W::splat(LOW_51));
    out
}

/// The product of tight limbs, summed in columns of 128 bits.
#[inline(always)]
pub fn product<W: Wide128>(a: [W; 5], b: [W; 5]) -> [W; 5] {
    let b19 = unroll!(5, I => b[I].times_19());
    let mut columns = [W::splat(0).to_sum(); 5];
    for i in 0..5 {
        for j in 0..5 {
            // A product with i + j >= 5 wraps around, since 2^255 = 19 mod p.
            let b = if i + j < 5 { b[j] } else { b19[j] };
            let column = &mut columns[(i + j) % 5];
            *column = W::add_sums(*column, a[i].product(b));
        }
    }
    carry_columns(columns)
}

/// The square of tight limbs, summed in columns of 128 bits.
#[inline(always)]
pub fn square<W: Wide128>([a0, a1, a2, a3, a4]: [W; 5]) -> [W; 5] {
    let (a3_19, a4_19) = (a3.times_19(), a4.times_19());
    // s + 2·(m + n)
    let column = |s: W::Sum, m: W::Sum, n: W::Sum| {
        let mixed = W::add_sums(m, n);
        W::add_sums(s, W::add_sums(mixed, mixed))
    };
    carry_columns([
        column(a0.product(a0), a1.product(a4_19), a2.product(a3_19)),
        column(a3.product(a3_19), a0.product(a1), a2.product(a4_19)),
        column(a1.product(a1), a0.product(a2), a4.product(a3_19)),
        column(a4.product(a4_19), a0.product(a3), a1.product(a2)),
        column(a2.product(a2), a0.product(a4), a1.product(a3)),
    ])
}
