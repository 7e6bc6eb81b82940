//! Products in columns of 64 bits, for WebAssembly, which has no product of more than 64 bits.
//!
//! In WebAssembly, these products take a third of the time of products in columns of 128 bits. 32-bit x86 has
//! a carry flag for wide sums. There, they do not speed up proving, and slow down verifying by a fifth.
//!
//! A limb of 51 bits is split into two halves l and h, with the value l + 2^26·h. So an element becomes ten
//! halves, alternately of 26 and 25 bits. Factors are split just before they are multiplied, and their
//! product is joined to five limbs. So all other arithmetic uses five limbs.
//!
//! Halves are multiplied by Karatsuba's rule, with three products instead of four:
//!
//! ```text
//! (l + 2^26·h)·(l' + 2^26·h') = l·l' + 2^26·((l + h)·(l' + h') - l·l' - h·h') + 2^52·h·h'
//! ```
//!
//! The products are summed in columns, and the subtractions are done only once for each column.
//!
//! The halves of a tight limb are bounded: l is below 2^26, h is at most 2^25 + 2^6, and l + h is below 2^27.
//! A column of products (l + h)·(l' + h') is at most 77 of them: one, and 19 times each of the four that
//! wrapped around. So it is below 2^60. The lowest limb of a product is the largest. It is 77·l·l' plus 19
//! times the carry of the highest column (about 10·h·h'), so it is below 2^59. Wide limbs are below 2^62.

use super::limbs::{self, Limbs, multiple_of_p};
use super::multiply::Multiply;
use super::word::Word;

/// Multiplies in columns of 64 bits.
#[derive(Clone, Copy)]
pub struct Columns64;

// `product` and `square` are not inlined. A call takes little time compared to the 75 multiplications of a
// product, and inlined copies would make up most of the program that browsers load.
impl Multiply for Columns64 {
    type Word = u64;
    const WIDE: u64 = 1 << 62;
    /// The limbs of the bias are at least 2^60 - 2^14.
    const BIAS: Limbs = multiple_of_p(9);

    #[inline(never)]
    fn product(a: &Limbs, b: &Limbs) -> Limbs {
        product(*a, *b)
    }

    #[inline(never)]
    fn square(a: &Limbs) -> Limbs {
        square(*a)
    }

    #[inline(always)]
    fn carry_product(product: Limbs) -> Limbs {
        limbs::carry(product)
    }
}

/// The low halves of the limbs, the high halves, and the sums of both halves of each limb.
#[inline(always)]
fn halves<W: Word>(limbs: [W; 5]) -> [[W; 5]; 3] {
    let low = unroll!(5, I => limbs[I].and(W::splat((1 << 26) - 1)));
    let high = unroll!(5, I => limbs[I].shift_right::<26>());
    [low, high, limbs::add(low, high)]
}

/// Column k of a product, for k from 0 to 8.
#[inline(always)]
fn product_column<W: Word>(a: [W; 5], b: [W; 5], k: usize) -> W {
    let mut sum = W::splat(0);
    for i in k.saturating_sub(4)..=k.min(4) {
        sum = sum.add(a[i].mul32(b[k - i]));
    }
    sum
}

/// Column k of a square, for k from 0 to 8.
#[inline(always)]
fn square_column<W: Word>(a: [W; 5], k: usize) -> W {
    let mut mixed = W::splat(0);
    for i in k.saturating_sub(4)..k.div_ceil(2) {
        mixed = mixed.add(a[i].mul32(a[k - i]));
    }
    let twice = mixed.add(mixed);
    if k.is_multiple_of(2) {
        twice.add(a[k / 2].mul32(a[k / 2]))
    } else {
        twice
    }
}

/// The product of tight limbs, summed in columns of 64 bits.
#[inline(always)]
pub fn product<W: Word>(a: [W; 5], b: [W; 5]) -> [W; 5] {
    let ([a_low, a_high, a_sum], [b_low, b_high, b_sum]) = (halves(a), halves(b));
    join([
        unroll!(9, K => product_column(a_low, b_low, K)),
        unroll!(9, K => product_column(a_high, b_high, K)),
        unroll!(9, K => product_column(a_sum, b_sum, K)),
    ])
}

/// The square of tight limbs, summed in columns of 64 bits.
#[inline(always)]
pub fn square<W: Word>(a: [W; 5]) -> [W; 5] {
    let [low, high, sum] = halves(a);
    join([
        unroll!(9, K => square_column(low, K)),
        unroll!(9, K => square_column(high, K)),
        unroll!(9, K => square_column(sum, K)),
    ])
}

/// Folds columns 0 to 8 into five columns, since 2^255 = 19 mod p.
#[inline(always)]
fn fold<W: Word>(columns: [W; 9]) -> [W; 5] {
    unroll!(5, K => match columns.get(K + 5) {
        Some(above) => columns[K].add(above.times_19()),
        None => columns[K],
    })
}

/// Joins the columns of the low halves, the high halves and the sums into wide limbs.
#[inline(always)]
fn join<W: Word>([low, high, sum]: [[W; 9]; 3]) -> [W; 5] {
    let (low, high, sum) = (fold(low), fold(high), fold(sum));
    let mixed = unroll!(5, K => sum[K].sub(low[K]).sub(high[K]));
    let wide = unroll!(5, K => {
        const BELOW: usize = (K + 4) % 5;
        // `mixed` has the weight 2^26: its low 25 bits belong to this limb and the other bits to
        // the next limb. `high` has the weight 2^52, which is twice the weight of the next limb.
        let own = mixed[K].and(W::splat((1 << 25) - 1)).shift_left::<26>();
        let carry = mixed[BELOW].shift_right::<25>().add(high[BELOW].add(high[BELOW]));
        let carry = if K == 0 { carry.times_19() } else { carry };
        low[K].add(own).add(carry)
    });
    limbs::check(&wide, 1 << 59);
    wide
}
