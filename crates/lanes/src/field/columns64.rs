//! Products in columns of 64 bits, for WebAssembly, which has no product of more than 64 bits.
//!
//! In WebAssembly they take a third of the time of products in columns of 128 bits. On 32-bit x86,
//! which has a carry flag, they gain nothing for proving, and make verifying a fifth slower.
//!
//! A limb of 51 bits is two halves, l + 2^26·h: an element is ten limbs of 26 and 25 bits in
//! turn. Elements are split before a product, and put together after it, so that all other
//! arithmetic is on five limbs.
//!
//! Halves are multiplied by Karatsuba's rule, three products instead of four:
//!
//! ```text
//! (l + 2^26·h)·(l' + 2^26·h') = l·l' + 2^26·((l + h)·(l' + h') - l·l' - h·h') + 2^52·h·h'
//! ```
//!
//! Sums of products are columns; the subtractions are made once for each column.
//!
//! Halves of tight limbs: l is below 2^26, h at most 2^25 + 2^6, their sum below 2^27. A column is
//! at most 77 products of sums (one, and 19 times each of the four that wrapped around), below
//! 2^60. Wide: limbs below 2^62. The largest limb of a product is the lowest, below 2^59: 77·l·l',
//! and 19 times what the highest column carries, 2·5·h·h'.

use super::limbs::{self, Limbs, multiple_of_p};
use super::multiply::Multiply;
use super::word::Word;

/// Multiplies in columns of 64 bits.
#[derive(Clone, Copy)]
pub struct Columns64;

// Not inlined: a call takes little time beside 75 multiplications, and a copy for each product
// would make up most of the program, which browsers load.
impl Multiply for Columns64 {
    type Word = u64;
    const WIDE: u64 = 1 << 62;
    /// Limbs of at least 2^60 - 2^14.
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

/// The low halves of limbs, the high ones, and their sums.
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

/// Folds columns 0 to 8 to five, since 2^255 = 19.
#[inline(always)]
fn fold<W: Word>(columns: [W; 9]) -> [W; 5] {
    unroll!(5, K => match columns.get(K + 5) {
        Some(above) => columns[K].add(above.times_19()),
        None => columns[K],
    })
}

/// Wide limbs from the columns of the low halves, the high halves and the sums.
#[inline(always)]
fn join<W: Word>([low, high, sum]: [[W; 9]; 3]) -> [W; 5] {
    let (low, high, sum) = (fold(low), fold(high), fold(sum));
    let mixed = unroll!(5, K => sum[K].sub(low[K]).sub(high[K]));
    let wide = unroll!(5, K => {
        const BELOW: usize = (K + 4) % 5;
        // 2^26·mixed has 25 bits in its own limb; 2^52 is twice the next limb.
        let own = mixed[K].and(W::splat((1 << 25) - 1)).shift_left::<26>();
        let carry = mixed[BELOW].shift_right::<25>().add(high[BELOW].add(high[BELOW]));
        let carry = if K == 0 { carry.times_19() } else { carry };
        low[K].add(own).add(carry)
    });
    limbs::check(&wide, 1 << 59);
    wide
}
